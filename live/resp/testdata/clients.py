"""What redis-py gets of the service: `python3 clients.py PORT TOKEN`."""

import sys
import warnings

import redis

warnings.simplefilter("error")
for protocol in 2, 3:
    user = f"python{protocol}"
    service = redis.Redis(port=int(sys.argv[1]), password=sys.argv[2], protocol=protocol, decode_responses=True,
                          client_name="clients")
    assert service.ping()
    assert service.execute_command("SHOW", user, 2, "a", "b", "c") == ["a", "b"]
    assert service.execute_command("SEEN", user, "a", "c") == [1, 0]
    assert service.execute_command("SHOWID", "once", user, 1, "c", "d") == ["c"]
    assert service.execute_command("SHOWID", "once", user, 1, "c", "d") == ["c"]
    assert service.bf().add(user, "x") and not service.bf().add(user, "x")
    assert [bool(is_new) for is_new in service.bf().madd(user, "x", "y")] == [False, True]
    assert [bool(known) for known in service.bf().mexists(user, "y", "z")] == [True, False]
    assert service.bf().info(user)["filterNum" if protocol == 2 else "Number of filters"] == 1
    assert service.bf().reserve("new", 0.1, 300)
    with service.pipeline(transaction=False) as pipeline:
        pipeline.execute_command("SHOW", user, 1, "d", "e")
        pipeline.execute_command("SHOW", user, 1, "d", "e")
        assert pipeline.execute() == [["d"], ["e"]]
    try:
        with service.pipeline() as pipeline:  # which begins with MULTI
            pipeline.execute_command("SHOW", user, 1, "multi")
            pipeline.execute()
    except redis.ResponseError as e:
        assert "pipeline(transaction=False)" in str(e), e
    else:
        raise AssertionError("MULTI")
    assert service.execute_command("SEEN", user, "multi") == [0]
    assert service.info()["server_name"] == "dejavu"
    try:
        service.execute_command("SHOW", user, 0, "a")
    except redis.ResponseError as e:
        assert "limit is 0, want 1 to 20" in str(e), e
    else:
        raise AssertionError("a limit of 0")
print("ok")
