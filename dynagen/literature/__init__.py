"""What others published: papers' figures, textbook algorithms counted on a robot, and how both compare with ours."""
