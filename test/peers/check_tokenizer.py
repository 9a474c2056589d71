"""Whether the ids of texts are those of Hugging Face's own library: `check_tokenizer.py tokenizer.json`.

Standard input: `[{"text", "ids"}, …]`.
"""

import json
import sys

from tokenizers import Tokenizer

tokenizer = Tokenizer.from_file(sys.argv[1])
found = json.load(sys.stdin)
for one in found:
    ids = tokenizer.encode(one["text"], add_special_tokens=False).ids
    assert ids == one["ids"], f"{one['text']!r}: {one['ids']} for {ids}"
    assert tokenizer.decode(one["ids"], skip_special_tokens=False) == one["text"]
print(len(found))
