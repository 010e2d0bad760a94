"""A tool, an engine, a run, on an embedded local model: ``python examples/weather.py``."""

from react_engine import Engine, tool


@tool
def get_weather(city: str, days: int = 1) -> dict[str, str]:
    """Get the weather forecast of a city.

    Args:
        city: Name of the city, such as Oslo.
        days: Number of days to look ahead.
    """
    return {"city": city, "sky": "clear", "high": "4 °C", "days": str(days)}


def main() -> None:
    """Ask one question and show what happened."""
    engine = Engine("local/qwen2.5-coder-1.5b", tools=[get_weather])
    run = engine.run("What will the weather in Oslo be tomorrow?")
    for call, result in zip(run.calls, run.results, strict=True):
        print(f"{call.name}({call.arguments}) -> {result.text}")
    print(run.answer)
    print(f"{run.end} on the {run.steps[0].path} path in {len(run.steps)} steps")


if __name__ == "__main__":
    main()
