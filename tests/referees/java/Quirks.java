import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.util.Locale;
import java.util.logging.Logger;

/** Plays no game: does what its first argument says, so that a test can compare one JVM a game with one for many. */
public final class Quirks {
    private static int calls;

    private Quirks() {}

    public static void main(String[] args) throws Exception {
        ++calls;
        System.out.println("call " + calls + " of " + args.length + " words: " + String.join("|", args));
        switch (args[0]) {
            case "exits":
                try {
                    System.exit(Integer.parseInt(args[1]));
                } finally {
                    System.out.println("a JVM that ends never says this");
                }
                break;
            case "exits in a thread":
                new Thread(() -> {
                    System.out.println("from a thread");
                    System.exit(5);
                }).start();
                Thread.sleep(60_000);
                break;
            case "exits by reference":
                java.util.function.IntConsumer end = System::exit;
                end.accept(6);
                break;
            case "halts":
                System.out.flush();
                Runtime.getRuntime().halt(7);
                break;
            case "throws":
                throw new IllegalStateException("thrown", new IOException("below"));
            case "throws in a thread":
                Thread thrower = new Thread(() -> {
                    throw new IllegalStateException("in a thread");
                }, "thrower");
                thrower.start();
                thrower.join();
                System.out.println("main goes on");
                break;
            case "lets a thread finish":
                new Thread(() -> {
                    try {
                        Thread.sleep(100);
                    } catch (InterruptedException early) {
                        System.out.println("interrupted");
                    }
                    System.out.println("late words");
                }).start();
                break;
            case "leaves a daemon":
                Thread daemon = new Thread(() -> {
                    while (true) {
                        Thread.onSpinWait();
                    }
                });
                daemon.setDaemon(true);
                daemon.start();
                break;
            case "leaves a process":
                System.out.println(new ProcessBuilder("sleep", "1000").start().isAlive());
                break;
            case "closes its output":
                System.out.println("before");
                System.out.close();
                System.out.println("after");
                System.err.println("to the error stream");
                break;
            case "writes past System.out":
                try (FileOutputStream raw = new FileOutputStream(FileDescriptor.out)) {
                    raw.write("raw\n".getBytes());
                    raw.flush();
                    System.exit(0); // before the descriptor is closed
                }
                break;
            case "changes the JVM":
                System.setProperty("quirk", "set");
                Locale.setDefault(Locale.FRANCE);
                System.setOut(System.err);
                Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> {});
                break;
            case "reads the JVM":
                System.out.println(System.getProperty("quirk") + " " + Locale.getDefault() + " "
                        + System.getProperty("given") + " " + System.in.read() + " "
                        + (Thread.getDefaultUncaughtExceptionHandler() == null) + " "
                        + Thread.currentThread().getName());
                Logger.getLogger("quirks").warning("a warning");
                break;
            case "says its environment":
                new ProcessBuilder("sh", "-c", ". \"$HARNESS_GAME\"; echo \"given $NAME\"")
                        .redirectOutput(ProcessBuilder.Redirect.INHERIT).start().waitFor();
                break;
            case "hangs":
                Thread.sleep(600_000);
                break;
            case "floods":
                for (String line = "x".repeat(1 << 20); ; ) {
                    System.out.println(line);
                }
            case "loads a resource":
                System.out.println(Quirks.class.getResource("Quirks.class") != null);
                System.out.println(Thread.currentThread().getContextClassLoader() == Quirks.class.getClassLoader());
                break;
            default:
                System.out.println("ünïcode " + args[0]);
        }
    }
}
