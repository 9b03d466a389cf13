from fastapi import FastAPI

app = FastAPI()


@app.get("/")
async def home() -> dict[str, str]:
    return {"hello": "from FastAPI"}


@app.get("/square/{number}")
async def square(number: int) -> dict[str, int]:
    return {"square": number * number}
