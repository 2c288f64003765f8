#!/bin/sh
exec node "${STAND_INS:-$(dirname "$0")/../..}/kafka/stream.mjs" consumer
