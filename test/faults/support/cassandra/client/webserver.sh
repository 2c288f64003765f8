exec node -e "require('http').createServer((_, response) => response.end(require('fs').readFileSync('/var/tmp/state'))).listen(Number(process.env.LIVENESS_SVC_PORT))"
