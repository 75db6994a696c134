import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A referee of cg-brutaltester's new mode: 4-heap Nim from a seed. With "-counts" its game depends on a static field,
 * with "-exits" it ends by System.exit, with "-clock" its log tells the time.
 */
public final class Heaps {
    private static int played;

    private Heaps() {}

    public static void main(String[] args) throws Exception {
        Map<String, String> given = new HashMap<>();
        List<String> flags = new ArrayList<>();
        for (int i = 0; i < args.length; ++i) {
            if (List.of("-counts", "-exits", "-clock").contains(args[i])) {
                flags.add(args[i]);
            } else {
                given.put(args[i], args[++i]);
            }
        }
        long seed = Long.parseLong(given.get("-d").substring(5));
        Random random = new Random(seed + (flags.contains("-counts") ? 1000L * played++ : 0));
        int[] heaps = {1 + random.nextInt(7), 1 + random.nextInt(7), 1 + random.nextInt(7), 1 + random.nextInt(7)};
        List<String> log = new ArrayList<>();
        int winner = play(heaps, new String[] {given.get("-p1"), given.get("-p2")}, log);
        System.out.println(winner == 0 ? 1 : 0);
        System.out.println(winner == 1 ? 1 : 0);
        System.out.println("seed=" + seed + "\n");
        if (given.containsKey("-l")) {
            String clock = flags.contains("-clock") ? ",\"time\":" + System.nanoTime() : "";
            String turns = String.join(",", log);
            Files.writeString(Path.of(given.get("-l")), "{\"turns\":[" + turns + "],\"seed\":" + seed + clock + "}");
        }
        if (flags.contains("-exits")) {
            System.exit(0);
        }
    }

    private static int play(int[] heaps, String[] commands, List<String> log) throws Exception {
        Process[] bots = new Process[2];
        PrintStream[] to = new PrintStream[2];
        BufferedReader[] from = new BufferedReader[2];
        for (int seat = 0; seat < 2; ++seat) {
            bots[seat] = new ProcessBuilder(commands[seat].split(" ")).redirectError(ProcessBuilder.Redirect.INHERIT).start();
            to[seat] = new PrintStream(bots[seat].getOutputStream(), true);
            from[seat] = new BufferedReader(new InputStreamReader(bots[seat].getInputStream()));
        }
        try {
            for (int seat = 0; ; seat = 1 - seat) {
                to[seat].println(heaps[0] + " " + heaps[1] + " " + heaps[2] + " " + heaps[3]);
                String line = from[seat].readLine();
                if (line == null) {
                    return 1 - seat;
                }
                log.add("\"" + seat + " " + line + "\"");
                int[] move = Arrays.stream(line.trim().split(" ")).mapToInt(Integer::parseInt).toArray();
                heaps[move[0]] -= move[1];
                if (Arrays.stream(heaps).sum() == 0) {
                    return seat;
                }
            }
        } finally {
            for (Process bot : bots) {
                bot.destroy();
            }
        }
    }
}
