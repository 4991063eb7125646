import java.util.List;
import redis.clients.jedis.*;
import redis.clients.jedis.commands.ProtocolCommand;

/** What Jedis gets of the service. */
public class Calls {
  static final ProtocolCommand SHOW = () -> "SHOW".getBytes(), SEEN = () -> "SEEN".getBytes();

  static String text(Object answer) {
    return ((List<?>) answer).stream().map(b -> new String((byte[]) b)).toList().toString();
  }

  public static void main(String[] args) {
    for (RedisProtocol protocol : RedisProtocol.values()) {
      var config = DefaultJedisClientConfig.builder().protocol(protocol).password(args[1]).clientName("calls").build();
      try (var jedis = new JedisPooled(HostAndPort.from(args[0]), config)) {
        String user = "jedis" + protocol.ordinal();
        String got = text(jedis.sendCommand(SHOW, user, "2", "a", "b", "c")) + jedis.sendCommand(SEEN, user, "a", "c")
            + jedis.bfAdd(user, "x") + jedis.bfMAdd(user, "x", "y") + jedis.bfMExists(user, "y", "z")
            + jedis.bfInfo(user).get("Number of filters") + jedis.bfReserve("new", 0.1, 300);
        var pipeline = jedis.pipelined();
        var first = pipeline.sendCommand(SHOW, user, "1", "d", "e");
        var second = pipeline.sendCommand(SHOW, user, "1", "d", "e");
        pipeline.sync();
        got += text(first.get()) + text(second.get());
        if (!got.equals("[a, b][1, 0]true[false, true][true, false]1OK[d][e]")) throw new AssertionError(got);
      }
    }
    System.out.println("ok");
  }
}
