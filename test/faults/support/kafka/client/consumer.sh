#!/bin/sh
exec node "$(dirname "$0")/../stream.mjs" consumer
