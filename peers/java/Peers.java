import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnel;
import com.google.common.hash.Funnels;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Scanner;

/**
 * Guava's BloomFilter answers the questions that ../README.md lists. An article is a Long, with Guava's funnel for it. A
 * filter derives bits and hashes from articles and a rate, and cannot be cleared: another is made.
 */
public final class Peers {
  static final int SHOWN = 500, REQUEST = 40, NEWEST = 100;
  static int links, articles, bits;
  static Memory[] users;

  /** Guava takes the given number of bits for the articles at this rate, from which hashes follow. */
  static <T> BloomFilter<T> filter(Funnel<? super T> funnel) {
    return BloomFilter.create(funnel, articles, Math.exp(-(double) bits / articles * Math.log(2) * Math.log(2)));
  }

  /** A user's: links, of which the active one takes articles. When it is full, the oldest is made anew. */
  static final class Memory {
    @SuppressWarnings("unchecked")
    private final BloomFilter<Long>[] filters = new BloomFilter[links];

    private int active, count;

    Memory() {
      Arrays.setAll(filters, i -> Peers.<Long>filter(Funnels.longFunnel()));
    }

    boolean has(Long id) {
      for (var filter : filters) {
        if (filter.mightContain(id)) {
          return true;
        }
      }
      return false;
    }

    void record(long id) {
      if (count == articles) {
        active = (active + 1) % links;
        count = 0;
        filters[active] = filter(Funnels.longFunnel());
      }
      filters[active].put(id);
      count++;
    }
  }

  static String ask(long[] ids) {
    var seen = new boolean[ids.length];
    long begin = System.nanoTime(), found = 0;
    for (int at = 0; at < ids.length; at += REQUEST) {
      var user = users[at / REQUEST % users.length];
      for (int i = at; i < at + REQUEST; i++) {
        seen[i] = user.has(ids[i]);
      }
    }
    long took = System.nanoTime() - begin;
    for (boolean s : seen) {
      found += s ? 1 : 0;
    }
    return took + " " + found;
  }

  static String record(long[] ids) {
    var user = new Memory();
    long begin = System.nanoTime();
    for (long id : ids) {
      user.record(id);
    }
    long took = System.nanoTime() - begin;
    return took + " " + Arrays.stream(ids).skip(ids.length - NEWEST).filter(user::has).count();
  }

  static String users(long[] ids, int n) {
    users = new Memory[n];
    Arrays.setAll(users, u -> new Memory());
    for (long i = 0; i < (long) n * SHOWN; i++) {
      users[(int) (i / SHOWN)].record(ids[(int) (i % ids.length)]);
    }
    return "0 0";
  }

  /** False positives of a filter, and own keys denied. Each key of the file is its length and its bytes. */
  static String rate(ByteBuffer data) {
    var keys = new ArrayList<byte[]>();
    while (data.hasRemaining()) {
      var key = new byte[data.get() & 0xff];
      data.get(key);
      keys.add(key);
    }
    BloomFilter<byte[]> filter = filter(Funnels.byteArrayFunnel());
    keys.stream().limit(SHOWN).forEach(filter::put);
    return keys.stream().skip(SHOWN).filter(filter::mightContain).count() + " "
        + (SHOWN - keys.stream().limit(SHOWN).filter(filter::mightContain).count());
  }

  public static void main(String[] args) throws IOException {
    links = Integer.parseInt(args[0]);
    articles = Integer.parseInt(args[1]);
    bits = Integer.parseInt(args[2]);
    var form = new ByteArrayOutputStream();
    Peers.<Long>filter(Funnels.longFunnel()).writeTo(form);
    var header = ByteBuffer.wrap(form.toByteArray()); // strategy, hashes, words of 64 bits
    System.out.println(64 * header.getInt(2) + " " + header.get(1));
    for (var in = new Scanner(System.in); in.hasNext(); ) {
      String what = in.next();
      int n = in.nextInt();
      var data = ByteBuffer.wrap(Files.readAllBytes(Path.of(in.next()))).order(ByteOrder.LITTLE_ENDIAN);
      var ids = new long[data.limit() / 9];
      Arrays.setAll(ids, i -> data.getLong(9 * i + 1));
      System.out.println(switch (what) {
        case "users" -> users(ids, n);
        case "ask" -> ask(ids);
        case "record" -> record(ids);
        default -> rate(data);
      });
    }
  }
}
