"""A policy that fits a laptop: it reads the task and says the name of a tool, `done`, or the end of its answer.

Log-linear. It knows from the start how an answer is built (one tool and the end, later `done` and the end); which
tool goes with which words is what it learns. Whatever else it is told (system prompt, tools, results) is context.
"""

import re
import zlib

import numpy as np

TOOLS = ["sort", "count", "checksum", "reverse", "number", "shout"]
DONE, END, LINE, USER, USER_ENDS, TOOL_ENDS, ASSISTANT = range(len(TOOLS), len(TOOLS) + 7)
SAYS = [*TOOLS, "done", "<end>"]
MARKS = ["\n", "<user>", "</user>", "</tool>", "<assistant>"]
FIRST_WORD, VOCABULARY = 32, 2048
# Where a word counts for something else: at the beginning of the first answer, of a later one, and within one.
FIRST, LATER, WITHIN = range(3)


def encode(text):
    """Token ids of a text. A word that has no id of its own gets one by its checksum."""
    ids = []
    for word in re.findall(r"\n|[a-z0-9]+", text.lower()):
        checksum = zlib.crc32(word.encode())
        ids.append(LINE if word == "\n" else FIRST_WORD + checksum % (VOCABULARY - FIRST_WORD))
    return ids


def decode(token):
    return SAYS[token] if token < len(SAYS) else (MARKS[token - len(SAYS)] if token < FIRST_WORD else f"word {token}")


def task_words(tokens):
    """The words of the task's first line, each once."""
    start = tokens.index(USER) + 1
    end = next(i for i in range(start, len(tokens)) if tokens[i] in (LINE, USER_ENDS))
    return sorted(set(tokens[start:end]))


def situation(tokens, position):
    if tokens[position - 1] != ASSISTANT:
        return WITHIN
    return LATER if tokens[position - 2] == TOOL_ENDS else FIRST


def habits():
    """How answers are built, as scores by situation."""
    scores = np.zeros((3, len(SAYS)))
    scores[FIRST, DONE], scores[FIRST, END] = -4, -8
    scores[LATER, DONE] = 8
    scores[WITHIN, END] = 8
    return scores


HABITS = habits()


class Policy:
    """Its weights: for each situation and each word of the task, scores of what it may say next."""

    def __init__(self):
        self.weights = np.zeros((3, VOCABULARY, len(SAYS)))

    def log_probabilities(self, tokens, position, temperature=1.0):
        """Of everything that it may say at `position`, given the tokens before it."""
        now, words = situation(tokens, position), task_words(tokens)
        scores = (HABITS[now] + self.weights[now, words].sum(axis=0) / np.sqrt(len(words))) / temperature
        scores -= scores.max()
        return scores - np.log(np.exp(scores).sum())

    def log_probability(self, tokens, position, temperature=1.0):
        """Of the token that stands at `position`; what it cannot say has probability 0."""
        token = tokens[position]
        return self.log_probabilities(tokens, position, temperature)[token] if token < len(SAYS) else -np.inf

    def add_gradient(self, gradient, tokens, position, weight, temperature=1.0):
        """Adds `weight` times the gradient of the log-probability of the token at `position`."""
        now, words = situation(tokens, position), task_words(tokens)
        rise = -np.exp(self.log_probabilities(tokens, position, temperature))
        rise[tokens[position]] += 1
        gradient[now, words] += weight * rise / (temperature * np.sqrt(len(words)))
