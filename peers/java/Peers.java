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
 * Guava's BloomFilter answers the question that ../README.md describes. An article is a Long, with Guava's funnel for it.
 * A filter derives bits and hashes from articles and a rate, and cannot be cleared: another is made.
 */
public final class Peers {
  static final int REQUEST = 40;
  static int links, articles, bits;
  static Memory<?>[] users; // who stay alive until the next question

  /** Guava takes the given number of bits for the articles at this rate, from which hashes follow. */
  static <T> BloomFilter<T> filter(Funnel<? super T> funnel) {
    return BloomFilter.create(funnel, articles, Math.exp(-(double) bits / articles * Math.log(2) * Math.log(2)));
  }

  /** A user's: links, of which the active one takes articles. When it is full, the oldest is made anew. */
  static final class Memory<K> {
    @SuppressWarnings("unchecked")
    private final BloomFilter<K>[] filters = new BloomFilter[links];

    private int active, count;

    Memory(Funnel<? super K> funnel) {
      Arrays.setAll(filters, i -> Peers.<K>filter(funnel));
    }

    boolean has(K key) {
      for (var filter : filters) {
        if (filter.mightContain(key)) {
          return true;
        }
      }
      return false;
    }

    void record(K key, Funnel<? super K> funnel) {
      if (count == articles) {
        active = (active + 1) % links;
        count = 0;
        filters[active] = filter(funnel);
      }
      filters[active].put(key);
      count++;
    }
  }

  static <K> String answer(int n, int each, int shown, List<K> keys, Funnel<? super K> funnel) {
    @SuppressWarnings("unchecked")
    Memory<K>[] all = new Memory[n];
    Arrays.setAll(all, u -> new Memory<K>(funnel));
    var seen = new char[keys.size() - shown];
    long begin = System.nanoTime();
    for (int u = 0, next = 0; u < n; u++) {
      for (int i = 0; i < each; i++, next = (next + 1) % shown) {
        all[u].record(keys.get(next), funnel);
      }
    }
    long middle = System.nanoTime();
    for (int at = 0; at < seen.length; at += REQUEST) {
      var user = all[at / REQUEST % n];
      for (int i = at; i < at + REQUEST; i++) {
        seen[i] = user.has(keys.get(shown + i)) ? '1' : '0';
      }
    }
    long end = System.nanoTime();
    users = all;
    return (middle - begin) + " " + (end - middle) + " " + new String(seen);
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
      int n = in.nextInt(), each = in.nextInt(), shown = in.nextInt();
      String name = in.next();
      var data = ByteBuffer.wrap(Files.readAllBytes(Path.of(name)));
      var keys = new ArrayList<byte[]>();
      while (data.hasRemaining()) { // a key is its length and its bytes
        var key = new byte[data.get() & 0xff];
        data.get(key);
        keys.add(key);
      }
      System.out.println(name.equals("keys")
          ? answer(n, each, shown, keys, Funnels.byteArrayFunnel())
          : answer(n, each, shown,
              keys.stream().map(k -> ByteBuffer.wrap(k).order(ByteOrder.LITTLE_ENDIAN).getLong()).toList(),
              Funnels.longFunnel()));
    }
  }
}
