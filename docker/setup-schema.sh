#!/bin/sh
# Databases and schema of a Temporal cluster on PostgreSQL, brought up to the version of the tool; safe to repeat.
# Needs temporal-sql-tool and POSTGRES_HOST, POSTGRES_USER, SQL_PASSWORD; POSTGRES_PORT is 5432 unless told otherwise.
set -eu

set_up() { # set_up <database> <schema>
  tool="temporal-sql-tool --plugin postgres12 --ep $POSTGRES_HOST -p ${POSTGRES_PORT:-5432} -u $POSTGRES_USER --db $1"
  $tool create
  # Makes the tables that hold the schema's version. In an existing database it fails, and there is nothing to do.
  $tool setup-schema -v 0.0 2>/dev/null || echo "$1 has a schema already"
  $tool update-schema --schema-name "postgresql/v12/$2"
}

set_up temporal temporal
set_up temporal_visibility visibility
