"""Harbor's own validator on files of ATIF: prints what it finds wrong in each, as JSON by path."""

import json
import sys

from harbor.utils.trajectory_validator import TrajectoryValidator

problems = {}
for path in sys.argv[1:]:
    validator = TrajectoryValidator()
    accepted = validator.validate(path)
    if not accepted or validator.errors:
        problems[path] = validator.errors or ["refused without a reason"]
json.dump(problems, sys.stdout)
