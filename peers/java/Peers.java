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
import java.util.List;
import java.util.Scanner;

/**
 * Guava's BloomFilter answers the questions that ../README.md lists. An article is a Long, with Guava's funnel for it. A
 * filter derives bits and hashes from articles and a rate, and cannot be cleared: another is made.
 */
public final class Peers {
  static final int SHOWN = 500, REQUEST = 40, SEGMENT = 128, RECORDS = 1500, NEWEST = 100;
  static int links, articles, bits;

  /** Guava takes the given number of bits for the articles at this rate, from which hashes follow. */
  static <T> BloomFilter<T> filter(Funnel<? super T> funnel) {
    return BloomFilter.create(funnel, articles, Math.exp(-(double) bits / articles * Math.log(2) * Math.log(2)));
  }

  /** A user's: links that hold the given number of articles. The oldest is made anew when the newest is full. */
  static final class Memory {
    @SuppressWarnings("unchecked")
    private final BloomFilter<Long>[] filters = new BloomFilter[links];

    private int count;

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

    void record(long[] ids, int from, int n) {
      for (int i = from; i < from + n; i++, count++) {
        int link = count / articles % links;
        if (count % articles == 0 && count >= links * articles) {
          filters[link] = filter(Funnels.longFunnel());
        }
        filters[link].put(ids[i]);
      }
    }
  }

  static List<byte[]> keys(String file) throws IOException {
    var data = ByteBuffer.wrap(Files.readAllBytes(Path.of(file)));
    var all = new ArrayList<byte[]>();
    while (data.hasRemaining()) {
      var key = new byte[data.get() & 0xff];
      data.get(key);
      all.add(key);
    }
    return all;
  }

  static Memory[] users;
  static final boolean[] seen = new boolean[REQUEST * SEGMENT];

  static String ask(long[] ids) {
    var answer = new StringBuilder();
    int count = 0;
    for (int at = 0; at < ids.length; at += seen.length) {
      long begin = System.nanoTime();
      for (int r = 0; r < SEGMENT; r++) { // whole rounds of the users
        var user = users[r % users.length];
        for (int i = r * REQUEST; i < (r + 1) * REQUEST; i++) {
          seen[i] = user.has(ids[at + i]);
        }
      }
      answer.append(System.nanoTime() - begin).append(' ');
      for (boolean s : seen) {
        count += s ? 1 : 0;
      }
    }
    return answer.append(count).toString();
  }

  static String record(long[] ids, int n) {
    var answer = new StringBuilder();
    var user = new Memory();
    for (int at = 0; at < ids.length; ) {
      long begin = System.nanoTime();
      for (int end = at + RECORDS; at < end; at += n) {
        user.record(ids, at, n);
      }
      answer.append(System.nanoTime() - begin).append(' ');
    }
    return answer.append(Arrays.stream(ids).skip(ids.length - NEWEST).filter(user::has).count()).toString();
  }

  static String rates(List<byte[]> keys) {
    var answer = new StringBuilder();
    for (int at = 0; at < keys.size(); at += 2 * SHOWN) {
      BloomFilter<byte[]> filter = filter(Funnels.byteArrayFunnel());
      var own = keys.subList(at, at + SHOWN);
      own.forEach(filter::put);
      long hits = keys.subList(at + SHOWN, at + 2 * SHOWN).stream().filter(filter::mightContain).count();
      answer.append(hits).append(' ').append(SHOWN - own.stream().filter(filter::mightContain).count()).append(' ');
    }
    return answer.toString();
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
      var keys = keys(in.next());
      long[] ids = what.equals("rates") ? null
          : keys.stream().mapToLong(k -> ByteBuffer.wrap(k).order(ByteOrder.LITTLE_ENDIAN).getLong()).toArray();
      System.out.println(switch (what) {
        case "users" -> {
          users = new Memory[n];
          for (int u = 0; u < n; u++) {
            users[u] = new Memory();
            users[u].record(ids, (int) ((long) u * SHOWN % ids.length), SHOWN);
          }
          yield n;
        }
        case "ask" -> ask(ids);
        case "record" -> record(ids, n);
        default -> rates(keys);
      });
    }
  }
}
