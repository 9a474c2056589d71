#!/bin/sh
sh /app/tools.sh count
