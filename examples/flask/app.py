from flask import Flask

app = Flask(__name__)


@app.get("/")
def home():
    return "<h1>Hello from Flask</h1>"


@app.get("/greet/<name>")
def greet(name: str):
    return {"hello": name}
