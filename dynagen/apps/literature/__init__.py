"""Published work of others: papers' figures, textbook algorithms counted on a robot, and how both compare with ours."""
