"""Robot descriptions: YAML -> RobotDescription (what the user wrote) -> RobotModel (a tree in the generator's frames).

Nothing in here knows of equations of motion or of generated code.
"""
