import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisPooled;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.commands.ProtocolCommand;

/** What Jedis gets of the service. */
public class Calls {
  static ProtocolCommand command(String name) {
    return () -> name.getBytes(Protocol.CHARSET);
  }

  static void want(Object got, String want) {
    if (!got.toString().equals(want)) throw new AssertionError(got + ", want " + want);
  }

  static String text(Object answer) {
    return ((java.util.List<?>) answer).stream().map(b -> new String((byte[]) b)).toList().toString();
  }

  public static void main(String[] args) {
    for (RedisProtocol protocol : RedisProtocol.values()) {
      var config = DefaultJedisClientConfig.builder().protocol(protocol).password(args[1]).clientName("calls").build();
      try (var jedis = new JedisPooled(HostAndPort.from(args[0]), config)) {
        String user = "jedis" + protocol.ordinal();
        want(text(jedis.sendCommand(command("SHOW"), user, "2", "a", "b", "c")), "[a, b]");
        want(jedis.sendCommand(command("SEEN"), user, "a", "c"), "[1, 0]");
        want(jedis.bfAdd(user, "x"), "true");
        want(jedis.bfMAdd(user, "x", "y"), "[false, true]");
        want(jedis.bfMExists(user, "y", "z"), "[true, false]");
        want(jedis.bfInfo(user).get("Number of filters"), "1");
        want(jedis.bfReserve("new", 0.1, 300), "OK");
        var pipeline = jedis.pipelined();
        var first = pipeline.sendCommand(command("SHOW"), user, "1", "d", "e");
        var second = pipeline.sendCommand(command("SHOW"), user, "1", "d", "e");
        pipeline.sync();
        want(text(first.get()) + text(second.get()), "[d][e]");
      }
    }
    System.out.println("ok");
  }
}
