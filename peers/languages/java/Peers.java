import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnel;
import com.google.common.hash.Funnels;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * The answers of Guava's BloomFilter to the questions of package languages, which says what the
 * lines mean.
 *
 * <p>An article is a Long, in a filter with Guava's funnel for it. A filter derives bits and hashes
 * from articles and a rate, and cannot be cleared: another is made.
 */
public final class Peers {
  static final int USERS = 8; // asked in turn
  static final int SHOWN = 500; // articles of each
  static final int REQUEST = 40; // candidates
  static final int SEGMENT = 128; // requests between two looks at the clock
  static final int RECORDS = 1500; // articles between two looks at the clock
  static final int NEWEST = 100; // articles that must be recognised after recording
  static final int LINKS = 5;

  /** The bits and hashes of a filter, and the articles it is made for. */
  record Geometry(int bits, int hashes, int articles) {
    /** The rate at which Guava takes that many bits for the articles, from which hashes follow. */
    double rate() {
      return Math.exp(-(double) bits / articles * Math.log(2) * Math.log(2));
    }

    <T> BloomFilter<T> filter(Funnel<? super T> funnel) {
      return BloomFilter.create(funnel, articles, rate());
    }

    /** What Guava makes of it: whole words of 64 bits, as its serial form says. */
    String kept() throws IOException {
      var form = new java.io.ByteArrayOutputStream();
      this.<Long>filter(Funnels.longFunnel()).writeTo(form);
      var bytes = ByteBuffer.wrap(form.toByteArray()); // strategy, hashes, words, the words
      return 64 * bytes.getInt(2) + " " + bytes.get(1);
    }
  }

  /** A user's memory. */
  interface Memory {
    void seen(long[] ids, int from, boolean[] seen, int at, int n);

    void record(long[] ids, int from, int n);
  }

  /** One filter, made anew when it is to hold more than it is made for. */
  static final class Single implements Memory {
    private final Geometry geometry;
    private BloomFilter<Long> filter;
    private int count;

    Single(Geometry geometry) {
      this.geometry = geometry;
      filter = geometry.filter(Funnels.longFunnel());
    }

    @Override
    public void seen(long[] ids, int from, boolean[] seen, int at, int n) {
      for (int i = 0; i < n; i++) {
        seen[at + i] = filter.mightContain(ids[from + i]);
      }
    }

    @Override
    public void record(long[] ids, int from, int n) {
      if (count + n > geometry.articles) {
        filter = geometry.filter(Funnels.longFunnel());
        count = 0;
      }
      for (int i = 0; i < n; i++) {
        filter.put(ids[from + i]);
      }
      count += n;
    }
  }

  /** Five filters, of which the oldest is made anew when the newest is full. */
  static final class Chain implements Memory {
    private final Geometry geometry;
    private final BloomFilter<Long>[] links;
    private int head;
    private int count;

    @SuppressWarnings("unchecked")
    Chain(Geometry geometry) {
      this.geometry = geometry;
      links = new BloomFilter[LINKS];
      Arrays.setAll(links, i -> geometry.<Long>filter(Funnels.longFunnel()));
    }

    @Override
    public void seen(long[] ids, int from, boolean[] seen, int at, int n) {
      for (int i = 0; i < n; i++) {
        seen[at + i] = any(ids[from + i]);
      }
    }

    private boolean any(Long id) {
      for (BloomFilter<Long> link : links) {
        if (link.mightContain(id)) {
          return true;
        }
      }
      return false;
    }

    @Override
    public void record(long[] ids, int from, int n) {
      for (int end = from + n; from < end; ) {
        if (count == geometry.articles) {
          head = (head + 1) % LINKS;
          links[head] = geometry.filter(Funnels.longFunnel());
          count = 0;
        }
        int now = Math.min(end - from, geometry.articles - count);
        for (int i = 0; i < now; i++) {
          links[head].put(ids[from + i]);
        }
        count += now;
        from += now;
      }
    }
  }

  /** One kind of memories, and those that are timed. */
  static final class Kind {
    private final Supplier<Memory> make;
    private final Memory[] users = new Memory[USERS];
    private final Memory recorder;
    private final boolean[] seen = new boolean[REQUEST * SEGMENT];

    Kind(long[] shown, Supplier<Memory> make) {
      this.make = make;
      recorder = make.get();
      for (int u = 0; u < USERS; u++) {
        users[u] = make.get();
        users[u].record(shown, u * SHOWN, SHOWN);
      }
    }

    String ask(long[] candidates) {
      var times = new StringBuilder();
      int count = 0;
      for (int at = 0; at + REQUEST * SEGMENT <= candidates.length; at += REQUEST * SEGMENT) {
        long begin = System.nanoTime();
        for (int r = 0; r < SEGMENT; r++) { // a whole number of rounds of the users
          users[r % USERS].seen(candidates, at + r * REQUEST, seen, r * REQUEST, REQUEST);
        }
        times.append(' ').append(System.nanoTime() - begin);
        count += count(seen, REQUEST * SEGMENT);
      }
      return count + times.toString();
    }

    String record(long[] articles, int update) {
      var times = new StringBuilder();
      int at = 0;
      while (at + RECORDS <= articles.length) {
        long begin = System.nanoTime();
        for (int end = at + RECORDS; at < end; at += update) {
          recorder.record(articles, at, update);
        }
        times.append(' ').append(System.nanoTime() - begin);
      }
      recorder.seen(articles, at - NEWEST, seen, 0, NEWEST);
      return count(seen, NEWEST) + times.toString();
    }

    String memory(long[] articles, int users) throws JMException {
      long[] before = alive();
      var memories = new Memory[users];
      for (int u = 0; u < users; u++) {
        memories[u] = make.get();
        memories[u].record(articles, u % (articles.length - SHOWN), SHOWN);
      }
      long[] after = alive();
      Reference.reachabilityFence(memories);
      return (after[1] - before[1]) + " " + (after[0] - before[0]);
    }
  }

  static int count(boolean[] seen, int n) {
    int count = 0;
    for (int i = 0; i < n; i++) {
      count += seen[i] ? 1 : 0;
    }
    return count;
  }

  /** How many objects are alive on the heap after a collection, and their bytes. */
  static long[] alive() throws JMException {
    var histogram =
        (String)
            ManagementFactory.getPlatformMBeanServer()
                .invoke(
                    new ObjectName("com.sun.management:type=DiagnosticCommand"),
                    "gcClassHistogram",
                    new Object[] {new String[0]},
                    new String[] {String[].class.getName()});
    var total = Pattern.compile("Total\\s+(\\d+)\\s+(\\d+)").matcher(histogram);
    if (!total.find()) {
      throw new IllegalStateException("the histogram of the heap has no total");
    }
    return new long[] {Long.parseLong(total.group(1)), Long.parseLong(total.group(2))};
  }

  /**
   * For each filter of the file, how many keys of others it takes for its own, and how many of its
   * own it denies.
   */
  static String rates(Geometry one, String path) throws IOException {
    var data = ByteBuffer.wrap(Files.readAllBytes(Path.of(path)));
    var answer = new StringBuilder();
    var keys = new byte[2 * SHOWN][];
    while (data.hasRemaining()) {
      for (int i = 0; i < keys.length; i++) {
        keys[i] = new byte[data.get() & 0xff];
        data.get(keys[i]);
      }
      BloomFilter<byte[]> filter = one.filter(Funnels.byteArrayFunnel());
      for (int i = 0; i < SHOWN; i++) {
        filter.put(keys[i]);
      }
      int hits = 0;
      int denied = 0;
      for (int i = 0; i < SHOWN; i++) {
        denied += filter.mightContain(keys[i]) ? 0 : 1;
        hits += filter.mightContain(keys[SHOWN + i]) ? 1 : 0;
      }
      answer.append(hits).append(' ').append(denied).append(' ');
    }
    return answer.toString();
  }

  static long[] list(ByteBuffer words) {
    var list = new long[(int) words.getLong()];
    words.asLongBuffer().get(list);
    words.position(words.position() + Long.BYTES * list.length);
    return list;
  }

  public static void main(String[] args) throws Exception {
    var words = ByteBuffer.wrap(Files.readAllBytes(Path.of(args[0]))).order(ByteOrder.LITTLE_ENDIAN);
    long[] shown = list(words);
    long[] unseen = list(words);
    long[] seen = list(words);
    long[] mixed = list(words);
    long[] articles = list(words);
    var numbers = Arrays.stream(args).skip(1).mapToInt(Integer::parseInt).toArray();
    var one = new Geometry(numbers[0], numbers[1], numbers[2]);
    var link = new Geometry(numbers[3], numbers[4], numbers[5]);
    var single = new Kind(shown, () -> new Single(one));
    var chain = new Kind(shown, () -> new Chain(link));

    System.out.println(one.kept() + " " + link.kept());
    var in = new BufferedReader(new InputStreamReader(System.in));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      var w = line.split(" ", 3);
      var kind = w[1].equals("single") ? single : chain;
      var answer =
          switch (w[0]) {
            case "ask" -> kind.ask(w[2].equals("unseen") ? unseen : w[2].equals("seen") ? seen : mixed);
            case "record" -> kind.record(articles, Integer.parseInt(w[2]));
            case "memory" -> kind.memory(articles, Integer.parseInt(w[2]));
            case "rates" -> rates(one, line.substring("rates ".length()));
            default -> "error no such question";
          };
      System.out.println(answer);
    }
  }
}
