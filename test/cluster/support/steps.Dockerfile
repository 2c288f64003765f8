# Images of the steps of Litmus' workflows, from an image of Turnsole, where there is no registry to pull Litmus' own from.
ARG IMAGE
FROM ${IMAGE} AS litmus-checker
USER 1000
ENTRYPOINT ["/usr/local/bin/turnsole", "litmus-checker"]

FROM ${IMAGE} AS k8s
USER 0
RUN printf '#!/bin/sh\nexec turnsole kubectl "$@"\n' > /usr/local/bin/kubectl && chmod 755 /usr/local/bin/kubectl
ENTRYPOINT []
CMD ["/bin/sh"]
