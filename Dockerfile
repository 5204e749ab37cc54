# The dynagrag command line. Models that are pulled, workspaces and settings lie in the volume /data.
FROM python:3.11-slim

RUN useradd --create-home --uid 10001 dynagrag && install --directory --owner=dynagrag --group=dynagrag /data
WORKDIR /app

COPY . ./
RUN pip install --no-cache-dir --constraint constraints.txt '.[providers,neo4j]'

ENV DYNAGRAG_HOME=/data PYTHONUNBUFFERED=1
# Any folder but /app: a bare `import ingest` from the sources would make a second copy of our classes.
WORKDIR /data
VOLUME /data
USER dynagrag
CMD ["dynagrag", "--help"]
