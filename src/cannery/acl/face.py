"""The record of this face."""

from cannery.faces import Face

FACE = Face(
    name="acl",
    summary="the runtime, in pyACL's spelling",
    packages={"acl": "cannery.acl"},
    example="exec examples/aclnn/metadata.py",
)
