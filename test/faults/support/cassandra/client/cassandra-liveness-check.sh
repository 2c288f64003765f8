exec node "$(dirname "$0")/../liveness.mjs"
