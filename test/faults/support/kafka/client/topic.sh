#!/bin/sh
[ -n "$REPLICATION_FACTOR" ] || exit 1
echo "created topic $TOPIC_NAME"
