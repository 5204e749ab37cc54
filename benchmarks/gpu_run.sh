#!/usr/bin/env bash
# The trainings that need a GPU, on a machine that may have no network.
#
#   benchmarks/gpu_run.sh pack SETS PIECES   where there is a network: writes wheels, models and
#                                            ExplaGraphs of the folder SETS as PIECES/1, PIECES/2, ...,
#                                            each of at most 45 MB
#   benchmarks/gpu_run.sh run PIECES         there, once all pieces are in one folder: installs what
#                                            lacks, trains six methods with three seeds,
#                                            measures them, and times the pruner on GPU and CPU,
#                                            all within eight minutes; results in PIECES/results
#
# PYTHON chooses the Python (default python3; it must hold torch, transformers, torch-geometric, peft
# and sentence-transformers where it runs), PYTHON_VERSION the one that wheels are fetched for
# (default 3.12), AT_ONCE how many trainings share the GPU (default 9), SECONDS_LIMIT their time
# (default 400).
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}

pack() {
  sets=$1 pieces=$2 models=$("$python" -c 'from dynagrag.config.settings import Settings; print(Settings().models_dir)')
  rm -rf "$pieces" && mkdir -p "$pieces/all/wheels" "$pieces/all/sets"
  platforms=()
  for glibc in 2_28 2_27 2_24 2_17; do platforms+=(--platform "manylinux_${glibc}_x86_64"); done
  "$python" -m pip download --quiet --no-deps --only-binary=:all: --implementation cp \
    --python-version "${PYTHON_VERSION:-3.12}" "${platforms[@]}" --platform manylinux2014_x86_64 \
    --constraint constraints.txt --dest "$pieces/all/wheels" annotated-types gguf ir-measures \
    lemminflect pcst-fast2 platformdirs pydantic pydantic-core pydantic-settings python-dotenv \
    pytrec-eval-terrier snowballstemmer truststore typing-inspection
  "$python" -m pip wheel --quiet --no-deps --wheel-dir "$pieces/all/wheels" .
  cp "$sets"/expla_graphs*.tsv "$pieces/all/sets"
  cp -r "$models" "$pieces/all/models"
  (cd "$pieces/all" && tar cf - wheels sets models/minilm models/SmolLM2*) |
    split -b 45m --filter='mkdir -p $FILE && cat > $FILE/part' --numeric-suffixes=1 -a 1 - "$pieces/"
  rm -rf "$pieces/all"
  du -sm "$pieces"/*
}

run() {
  pieces=$(realpath "$1") && mkdir -p "$pieces/results"
  if [ ! -d "$pieces/whole" ]; then
    mkdir -p "$pieces/whole/data/dynagrag"
    cat "$pieces"/[1-9]/part | tar xf - -C "$pieces/whole"
    mv "$pieces/whole/models" "$pieces/whole/data/dynagrag/models"
    "$python" -m pip install --quiet --no-index --no-deps --no-compile --upgrade \
      --target "$pieces/whole/site" "$pieces"/whole/wheels/*.whl
  fi
  export PYTHONPATH=$pieces/whole/site XDG_DATA_HOME=$pieces/whole/data
  export TOKENIZERS_PARALLELISM=false at_once=${AT_ONCE:-9}
  export OMP_NUM_THREADS=$((($(nproc) + at_once - 1) / at_once))  # vectors of texts are made on the CPU
  "$python" benchmarks/soft_prompt_seeds.py --data "$pieces/whole/sets" --runs "$pieces/runs" \
    --at-once "$at_once" --seconds "${SECONDS_LIMIT:-400}" --out "$pieces/results/soft_prompts.txt" \
    ${MORE:-}
  for device in cuda cpu; do
    timeout 40 "$python" benchmarks/pruner.py --device $device --out "$pieces/results/pruner_speed.txt" ||
      echo "benchmarks/pruner.py --device $device failed, or took over 40 s" >&2
  done
  (cd "$pieces" && find runs -name '*.log' -o -name result.json | tar czf results/logs.tgz -T -)
}

case ${1:-} in
  pack) pack "$2" "$3" ;;
  run) run "$2" ;;
  *) sed -n "2,17p" "$0" && exit 2 ;;
esac
