# The dynagrag command line. Models that are pulled, workspaces and settings lie in the volume /data.
FROM python:3.11-slim

# PyTorch's CPU build (2 GB in all instead of 6): docker build --build-arg TORCH_INDEX=<the CPU index that pytorch.org names> .
ARG TORCH_INDEX=""

RUN useradd --create-home --uid 10001 dynagrag && install --directory --owner=dynagrag --group=dynagrag /data
WORKDIR /app

# The versions that were tested together, first: this layer is kept when only the code changes.
COPY constraints.txt ./
RUN if [ -n "$TORCH_INDEX" ]; then pip install --no-cache-dir --index-url "$TORCH_INDEX" torch; \
    else pip install --no-cache-dir --constraint constraints.txt torch; fi

COPY . ./
# torch is left out of the constraints, since the CPU build has a version of its own.
RUN grep -v '^torch==' constraints.txt > /tmp/constraints.txt \
    && pip install --no-cache-dir --constraint /tmp/constraints.txt '.[providers,neo4j]' \
    && rm /tmp/constraints.txt

ENV DYNAGRAG_HOME=/data PYTHONUNBUFFERED=1
# Any folder but /app: a bare `import ingest` from the sources would make a second copy of our classes.
WORKDIR /data
VOLUME /data
USER dynagrag
CMD ["dynagrag", "--help"]
