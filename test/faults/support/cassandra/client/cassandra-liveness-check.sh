exec node "${STAND_INS:-$(dirname "$0")/../..}/cassandra/liveness.mjs"
