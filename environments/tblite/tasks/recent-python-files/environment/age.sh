# Completes the checkout and gives every file its modification time.
cd /app/project || exit 1

mkdir -p .git/hooks .venv/lib/site-packages tidepool/__pycache__ docs/notebooks
echo 'print("pre-commit")' > .git/hooks/pre_commit.py
echo 'version = "70.1"' > .venv/lib/site-packages/setuptools.py
echo 'cached' > tidepool/__pycache__/stations.py
echo 'cached' > tidepool/__pycache__/stations.cpython-312.pyc
echo 'def tides() -> list[float]: ...' > tidepool/stations.pyi
echo 'print("old style")' > tidepool/LEGACY.PY
echo 'print("plot")' > 'docs/notebooks/plot tides.py'
ln -s ../tidepool/stations.py docs/latest.py

find . -exec touch -h -d '2025-02-20T12:00:00Z' {} +

# Inside the window; the last one at the very end of it.
touch -d '2025-03-13T09:30:01Z' tidepool/__init__.py
touch -d '2025-03-14T08:12:44Z' tidepool/stations.py
touch -d '2025-03-13T22:05:00Z' tests/test_stations.py
touch -d '2025-03-14T02:40:10Z' 'docs/notebooks/plot tides.py'
touch -d '2025-03-14T09:30:00Z' tidepool/io/reader.py
touch -d '2025-03-14T07:00:00Z' Setup.py

# Just outside of it.
touch -d '2025-03-13T09:30:00Z' tidepool/harmonics.py
touch -d '2025-03-13T09:12:00Z' tidepool/io/writer.py
touch -d '2025-03-14T09:30:01Z' tidepool/io/__init__.py
touch -d '2025-03-14T11:00:00Z' tests/test_harmonics.py

# Recent, but not Python files of the project.
touch -d '2025-03-14T06:00:00Z' README.md tidepool/stations.pyi tidepool/LEGACY.PY .git/hooks/pre_commit.py
touch -d '2025-03-14T06:30:00Z' .venv/lib/site-packages/setuptools.py
touch -d '2025-03-14T08:13:00Z' tidepool/__pycache__/stations.py tidepool/__pycache__/stations.cpython-312.pyc
touch -h -d '2025-03-14T08:20:00Z' docs/latest.py
