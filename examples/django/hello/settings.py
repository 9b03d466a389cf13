import os
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parent.parent
# Set SECRET_KEY as a variable of the service; without it each start invents one.
SECRET_KEY = os.environ.get("SECRET_KEY") or os.urandom(32).hex()
DEBUG = False
# Ksar's edge lets no other host through to the service.
ALLOWED_HOSTS = ["*"]
INSTALLED_APPS = ["hello"]
ROOT_URLCONF = "hello.urls"
WSGI_APPLICATION = "hello.wsgi.application"
# A small application's own file; it belongs to the release, and goes with it.
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": BASE_DIR / "hello.sqlite3"}}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
