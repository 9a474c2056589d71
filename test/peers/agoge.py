"""agoge's records as pydantic models, written from the field list of its documentation.

Reads [{"name", "kind", "value"}] and answers {name: null, or why it is refused}.
"""

import json
import sys
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator


class Record(BaseModel):
    # Nothing beside the listed fields, and no "0.5" for 0.5.
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class TextPart(Record):
    type: Literal["text"]
    text: str


class ImagePart(Record):
    type: Literal["image"]
    image: str


class ImageUrlPart(Record):
    type: Literal["image_url"]
    image_url: dict[str, str]


class ImageFilePart(Record):
    type: Literal["image_file"]
    image_file: dict[str, str]


class AudioPart(Record):
    type: Literal["audio"]
    audio: str | dict[str, str]


class FilePart(Record):
    type: Literal["file"]
    file: dict[str, str]


Part = Annotated[
    TextPart | ImagePart | ImageUrlPart | ImageFilePart | AudioPart | FilePart, Field(discriminator="type")
]


class Message(Record):
    content: str | list[Part]
    label: str | None = None


class SystemMessage(Message):
    role: Literal["system"]


class UserMessage(Message):
    role: Literal["user"]


class FunctionCall(Record):
    name: str
    arguments: str


class ToolCall(Record):
    id: str
    type: Literal["function"] = "function"
    function: FunctionCall


class AssistantMessage(Message):
    role: Literal["assistant"]
    reasoning: str | None = None
    tool_calls: list[ToolCall] = Field(default_factory=list)


class ToolMessage(Message):
    role: Literal["tool"]
    tool_call_id: str
    name: str


ChatMessage = Annotated[
    SystemMessage | UserMessage | AssistantMessage | ToolMessage, Field(discriminator="role")
]


class Chat(Record):
    messages: list[ChatMessage]
    logprobs: list[float] | None = None
    top_tokens: list[list[str]] | None = None
    token_top_logprobs: list[list[float]] | None = None


class TimeStep(Record):
    chats: Annotated[list[Chat], Field(min_length=1)]
    reward: float | None = None
    mc_return: float | None = None
    done: bool = False
    available_tool_schemas: list[dict[str, Any]] | None = None
    advantage: float | None = None


class ErrorInfo(Record):
    error_type: str
    message: str
    traceback: str


class Trajectory(Record):
    timesteps: list[TimeStep]
    reset_kwargs: dict[str, Any] = Field(default_factory=dict)
    error_info: ErrorInfo | None = None
    episode_id: str | None = None
    schema_version: Literal[1] = 1

    @model_validator(mode="after")
    def has_steps_or_error(self):
        if not self.timesteps and self.error_info is None:
            raise ValueError("at least one timestep unless error_info is set")
        return self


JudgeResponse = dict[str, float | str | dict[str, Any]] | None


class LLMEvaluatedTimeStep(TimeStep):
    judge_response: JudgeResponse = None


class LLMEvaluatedTrajectory(Trajectory):
    timesteps: list[LLMEvaluatedTimeStep]
    judge_response: JudgeResponse = None


class AREEvaluation(Record):
    success: bool
    rationale: str
    judge_model: str
    oracle_matching_failures: list[dict[str, Any]]
    duration: float


class AREEvaluatedTrajectory(Trajectory):
    are_evaluation: AREEvaluation


class Task(Record):
    task_id: str
    inputs: dict[str, Any] = Field(default_factory=dict)
    eval_criteria: dict[str, Any] = Field(default_factory=dict)
    metadata: dict[str, Any] = Field(default_factory=dict)


KINDS = {kind.__name__: kind for kind in (Trajectory, LLMEvaluatedTrajectory, AREEvaluatedTrajectory, Task)}


def refusal(kind, value):
    try:
        # As JSON: there an integer is a float too.
        KINDS[kind].model_validate_json(json.dumps(value))
    except ValidationError as error:
        return "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
    return None


cases = json.load(sys.stdin)
json.dump({case["name"]: refusal(case["kind"], case["value"]) for case in cases}, sys.stdout)
