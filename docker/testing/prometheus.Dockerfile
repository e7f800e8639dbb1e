# Stands in for prom/prometheus where no registry can be reached, and for prom/alertmanager by another entry
# point; for tests. Debian's own builds, laid out as the public images are: same paths and user.
FROM debian:bookworm-slim
RUN apt-get update -qq \
    && apt-get install -qq -y --no-install-recommends prometheus prometheus-alertmanager >/dev/null \
    && rm -rf /var/lib/apt/lists/* \
    && mkdir -p /prometheus && chown nobody:nogroup /prometheus
USER nobody
EXPOSE 9090
ENTRYPOINT ["/usr/bin/prometheus"]
CMD ["--config.file=/etc/prometheus/prometheus.yml", "--storage.tsdb.path=/prometheus"]
