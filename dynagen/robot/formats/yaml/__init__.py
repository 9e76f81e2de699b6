"""The YAML syntax of robot descriptions: text -> Document -> schema -> RobotDescription, with the line of every fault."""
