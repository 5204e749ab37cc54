"""Settings with the address and the login of a store that is a server, by the scheme of its
address.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StoreLogin:
    """Names of fields of `Settings`. `product`: what the server is called.

    Each field is read from the variable of its name in capitals, without the prefix DYNAGRAG_,
    since other programs read the same.
    """

    product: str
    schemes: tuple[str, ...]
    address: str
    username: str
    password: str
    database: str


NEO4J = StoreLogin(
    product="Neo4j",
    schemes=("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc"),
    address="neo4j_uri",
    username="neo4j_username",
    password="neo4j_password",
    database="neo4j_database",
)
LOGINS = (NEO4J,)


def login_for(address: str) -> StoreLogin | None:
    """The login of the server at an address; None where none is known for its scheme."""
    scheme, is_server, _ = address.strip().partition("://")
    return next((login for login in LOGINS if is_server and scheme in login.schemes), None)
