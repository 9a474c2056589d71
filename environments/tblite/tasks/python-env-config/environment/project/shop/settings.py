"""Settings of the shop. Everything that differs between hosts comes from the environment."""

import os


def flag(name: str, default: str = "0") -> bool:
    return os.environ.get(name, default) == "1"


def required(name: str) -> str:
    value = os.environ.get(name, "")
    if not value:
        raise RuntimeError(f"{name} is not set")
    return value


DEBUG = flag("SHOP_DEBUG")
SECRET_KEY = required("SHOP_SECRET_KEY")
DATABASE_URL = os.environ["DATABASE_URL"]
CACHE_URL = os.getenv("CACHE_URL", "locmem://")
ALLOWED_HOSTS = os.environ["SHOP_ALLOWED_HOSTS"].split(",")
MAIL_FROM = required("SHOP_MAIL_FROM")
REPORT_PATH = os.environ.get(
    "SHOP_REPORT_PATH",
    "/tmp/reports",
)
WORKERS = int(os.environ.get("WEB_CONCURRENCY", "2"))
# SENTRY_DSN used to be read here: os.environ["SENTRY_DSN"]
BANNER = os.environ.get("SHOP_BANNER", "")
