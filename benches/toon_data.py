"""Data of the kinds that TOON's benchmark asks about, made up anew from its description.

The names, sizes, fields and shares are those of the benchmark's description; the values are not,
for they come from other lists of words and another generator of numbers. `datasets` has the eight
sets, at the size that questions are asked about (``small``) or tokens are counted of (``large``).
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

SEED: Final = 12345
SIZES: Final = {
    "tabular": (100, 2000),
    "nested": (50, 500),
    "analytics": (60, 365),
    "github": (100, 100),
    "event-logs": (75, 2000),
    "nested-config": (1, 1),
    "keyed": (40, 500),
    "nested-group": (50, 1000),
}
"""Records of each set, small and large."""

FIRST: Final = [
    "Ada",
    "Bela",
    "Cora",
    "Dario",
    "Edda",
    "Farid",
    "Gina",
    "Hugo",
    "Ines",
    "Jonas",
    "Kira",
    "Lars",
    "Mona",
    "Nils",
    "Olga",
    "Piet",
]
LAST: Final = [
    "Abel",
    "Brandt",
    "Costa",
    "Dahl",
    "Eklund",
    "Fuchs",
    "Greco",
    "Holm",
    "Ivanov",
    "Jansen",
    "Kovac",
    "Lund",
    "Moreau",
    "Novak",
]
TOWNS: Final = [
    "Bergen",
    "Cork",
    "Delft",
    "Evora",
    "Faro",
    "Ghent",
    "Hamar",
    "Imola",
    "Jena",
    "Kotka",
    "Lodz",
    "Malmo",
    "Nantes",
    "Oulu",
]
COUNTRIES: Final = ["Norway", "Ireland", "Portugal", "Costa Rica", "Papua New Guinea", "Japan"]
THINGS: Final = ["Wireless Mouse", "USB Cable", "Laptop Stand", "Desk Lamp", "Notebook", "Headset"]
WORDS: Final = [
    "amber",
    "brook",
    "cedar",
    "delta",
    "ember",
    "fjord",
    "grove",
    "harbor",
    "island",
    "jasper",
    "kelp",
    "lagoon",
]
PLACES: Final = ["/api/users", "/api/orders", "/api/products", "/api/search", "/login", "/health"]
PLANS: Final = {"free": 0, "starter": 15, "team": 49, "business": 199}


def datasets(size: str = "small", seed: int = SEED) -> dict[str, Any]:
    """Return the sets by name.

    Examples
    --------
    >>> found = datasets()
    >>> [(name, len(next(iter(data.values())))) for name, data in found.items()][:2]
    [('tabular', 100), ('nested', 50)]
    >>> found == datasets(), found == datasets(seed=1)
    (True, False)
    """
    column = {"small": 0, "large": 1}[size]
    return {
        name: MAKERS[name](Random(f"{seed} {name}"), counts[column])
        for name, counts in SIZES.items()
    }


def _name(random: Random) -> str:
    return f"{random.choice(FIRST)} {random.choice(LAST)}"


def _email(random: Random, name: str) -> str:
    return f"{name.lower().replace(' ', '.')}{random.randint(1, 99)}@example.com"


def _date(random: Random) -> str:
    return f"2025-{random.randint(1, 5):02}-{random.randint(1, 28):02}"


def _stamp(random: Random) -> str:
    clock = (random.randint(0, 23), random.randint(0, 59), random.randint(0, 59))
    return f"{_date(random)}T{'{:02}:{:02}:{:02}'.format(*clock)}.{random.randint(0, 999):03}Z"


def _code(random: Random, length: int = 6) -> str:
    return "".join(random.choices("ABCDEFGHJKLMNPQRSTUVWXYZ0123456789", k=length))


def _sentence(random: Random, words: int) -> str:
    return " ".join(random.choices(WORDS, k=words)).capitalize() + "."


def _tabular(random: Random, count: int) -> dict[str, Any]:
    departments = ["Engineering", "Sales", "Marketing", "HR", "Operations", "Finance"]
    return {"employees": [_employee(random, n, departments) for n in range(1, count + 1)]}


def _employee(random: Random, number: int, departments: list[str]) -> dict[str, Any]:
    name = _name(random)
    return {
        "id": number,
        "name": name,
        "email": _email(random, name),
        "department": departments[number % len(departments)],
        "salary": random.randint(45_000, 150_000),
        "yearsExperience": random.randint(1, 25),
        "active": random.random() < 0.8,
    }


def _nested(random: Random, count: int) -> dict[str, Any]:
    return {"orders": [_order(random, n) for n in range(1, count + 1)]}


def _order(random: Random, number: int) -> dict[str, Any]:
    name = _name(random)
    items = [_item(random) for _ in range(random.randint(1, 4))]
    subtotal = round(sum(item["price"] * item["quantity"] for item in items), 2)
    tax = round(subtotal * 0.08, 2)
    phone = f"{random.randint(200, 999)}-{random.randint(100, 999)}-{random.randint(1000, 9999)}"
    return {
        "orderId": f"ORD-{number:04}",
        "customer": {
            "id": (number - 1) % 20 + 1,
            "name": name,
            "email": _email(random, name),
            "phone": phone,
        },
        "items": items,
        "subtotal": subtotal,
        "tax": tax,
        "total": round(subtotal + tax, 2),
        "status": random.choice(["pending", "processing", "shipped", "delivered", "cancelled"]),
        "orderDate": _date(random),
    }


def _item(random: Random) -> dict[str, Any]:
    return {
        "sku": f"SKU-{_code(random)}",
        "name": random.choice(THINGS),
        "quantity": random.randint(1, 5),
        "price": round(random.uniform(9.99, 199.99), 2),
    }


def _analytics(random: Random, count: int) -> dict[str, Any]:
    return {"metrics": [_day(random, n) for n in range(count)]}


def _day(random: Random, number: int) -> dict[str, Any]:
    month, day = divmod(number, 28)
    views = random.randint(3000, 9000)
    clicks = int(views * random.uniform(0.02, 0.08))
    conversions = int(clicks * random.uniform(0.05, 0.15))
    return {
        "date": f"{2025 + month // 12}-{month % 12 + 1:02}-{day + 1:02}",
        "views": views,
        "clicks": clicks,
        "conversions": conversions,
        "revenue": round(conversions * random.uniform(50, 350), 2),
        "bounceRate": round(random.uniform(0.3, 0.7), 2),
    }


def _github(random: Random, count: int) -> dict[str, Any]:
    stars = sorted((random.randint(40_000, 500_000) for _ in range(count)), reverse=True)
    return {"repositories": [_repository(random, number) for number in stars]}


def _repository(random: Random, stars: int) -> dict[str, Any]:
    name = "-".join(random.sample(WORDS, 2))
    return {
        "id": random.randint(10**6, 10**9),
        "name": name,
        "repo": f"{random.choice(WORDS)}-{random.choice(WORDS)}/{name}",
        "description": _sentence(random, random.randint(4, 14)),
        "createdAt": _stamp(random)[:19] + "Z",
        "updatedAt": _stamp(random)[:19] + "Z",
        "pushedAt": _stamp(random)[:19] + "Z",
        "stars": stars,
        "watchers": stars // random.randint(20, 90),
        "forks": stars // random.randint(3, 12),
        "defaultBranch": random.choice(["main", "master"]),
    }


def _logs(random: Random, count: int) -> dict[str, Any]:
    return {"logs": [_log(random) for _ in range(count)]}


def _log(random: Random) -> dict[str, Any]:
    failed = random.random() < 0.5
    found: dict[str, Any] = {
        "timestamp": _stamp(random),
        "level": "error" if failed else random.choice(["info", "warn"]),
        "endpoint": random.choice(PLACES),
        "statusCode": random.randint(400, 599) if failed else random.randint(200, 299),
        "responseTime": random.randint(10, 3000),
        "userId": random.randint(1000, 9999),
    }
    if failed:
        stack = "\n  at ".join([f"Error: {_sentence(random, 5)}", *random.sample(WORDS, 2)])
        message = random.choice(["Internal server error", "Request timed out", "Not found"])
        found["error"] = {"message": message, "stack": stack, "retryable": random.random() < 0.5}
    return found


def _config(random: Random, _: int) -> dict[str, Any]:
    host = f"{random.choice(WORDS)}-{random.choice(WORDS)}.example"
    replicas = [{"host": f"replica-{n}.{host}", "port": 5432, "priority": n} for n in range(1, 4)]
    pool = {"min": 2, "max": random.randint(10, 50), "idleTimeout": 30_000}
    variant = {"name": "default", "weight": 70, "config": {"theme": "dark", "animations": True}}
    other = {"name": "minimal", "weight": 30, "config": {"theme": "dark", "animations": False}}
    members = [_email(random, _name(random)) for _ in range(5)]
    return {
        "environment": "development",
        "version": f"{random.randint(0, 9)}.{random.randint(0, 9)}.{random.randint(0, 30)}",
        "database": {"host": host, "port": 5432, "pool": pool, "replicas": replicas},
        "features": {
            "darkMode": {"enabled": False, "rollout": 26, "variants": [variant, other]},
            "analytics": {"enabled": True, "rollout": random.randint(1, 99), "variants": []},
        },
        "authentication": {
            "providers": [
                {"name": "oauth2", "clientId": _code(random, 24), "scopes": ["read", "write"]},
                {"name": "saml", "clientId": _code(random, 24), "scopes": ["read"]},
            ],
            "session": {"secret": _code(random, 32), "duration": 86_400},
        },
        "permissions": {
            "roles": {
                "admin": {"permissions": ["read", "write", "delete"], "inherits": []},
                "editor": {"permissions": ["read", "write"], "inherits": ["viewer"]},
                "viewer": {"permissions": ["read"], "inherits": []},
            },
            "groups": {"engineering": {"members": members, "roles": ["admin", "editor"]}},
        },
    }


def _keyed(random: Random, count: int) -> dict[str, Any]:
    return {"flags": {f"flag_{n}_{random.choice(WORDS)}": _flag(random) for n in range(count)}}


def _flag(random: Random) -> dict[str, Any]:
    return {
        "enabled": random.random() < 0.5,
        "rollout": random.randint(0, 100),
        "owner": random.choice(FIRST),
        "updatedAt": _date(random),
    }


def _group(random: Random, count: int) -> dict[str, Any]:
    return {"contacts": [_contact(random) for _ in range(count)]}


def _contact(random: Random) -> dict[str, Any]:
    name, plan = _name(random), random.choice(list(PLANS))
    return {
        "name": name,
        "age": random.randint(18, 80),
        "email": _email(random, name),
        "address": {"city": random.choice(TOWNS), "country": random.choice(COUNTRIES)},
        "plan": {"name": plan, "price": PLANS[plan]},
    }


MAKERS: Final[dict[str, Callable[[Random, int], dict[str, Any]]]] = {
    "tabular": _tabular,
    "nested": _nested,
    "analytics": _analytics,
    "github": _github,
    "event-logs": _logs,
    "nested-config": _config,
    "keyed": _keyed,
    "nested-group": _group,
}
