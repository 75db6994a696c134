package harness;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.URLConnection;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.security.cert.Certificate;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TimeZone;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.LogManager;

/**
 * Calls a referee's main class again and again in one JVM, several games in a row, as if each had a JVM of its own.
 *
 * <p>Arguments: the file to read requests from, the file to write answers to, the class path, the main class, and "fresh"
 * (each game loads the classes anew, so that nothing static is left of the one before) or "shared" (all games share
 * them). A request is the number of arguments of main and each of them, with its length in bytes before it (32 bits, big
 * end first). An answer is a line: the exit code, then 0, or 1 if something of the game still runs, after which this JVM
 * plays no other. What the referee prints goes to this process's own standard output and error, whole before the answer.
 *
 * <p>System.exit, which would end the JVM with the game, is looked for in every class that is loaded and replaced by
 * {@link #exit}: no SecurityManager, which newer JVMs have not. A game that ends the JVM all the same (Runtime.halt)
 * has ended as it would have in a JVM of its own, only that the next one starts another.
 *
 * <p>Must not print anything, and ends when nobody asks any more.
 */
public final class WarmReferee {
    private static final long LEAVE_MS = 250;
    private static final String OWN_NAME = "harness/WarmReferee";

    private static final Tap OUT = new Tap(FileDescriptor.out);
    private static final Tap ERR = new Tap(FileDescriptor.err);
    private static volatile Game current;

    private WarmReferee() {}

    public static void main(String[] args) throws Exception {
        DataInputStream requests = new DataInputStream(new FileInputStream(args[0]));
        OutputStream answers = new FileOutputStream(args[1]);
        Loader.classPath = urls(args[2]);
        boolean isFresh = args[4].equals("fresh");
        PrintStream out = new Voice(OUT, false, charset(System.out));
        PrintStream err = new Voice(ERR, true, charset(System.err));
        Properties properties = copy(System.getProperties());
        properties.setProperty("java.class.path", args[2]);
        Locale locale = Locale.getDefault();
        TimeZone zone = TimeZone.getDefault();
        Loader kept = new Loader(); // where no game plays in it, it keeps the indexes of the jars in memory
        boolean isClean = true;
        String streams = streams();
        for (int number = 0; isClean; ++number) {
            String[] words;
            try {
                words = read(requests);
            } catch (EOFException end) {
                break;
            }
            if (number > 0) { // what a game may have changed of the JVM itself
                System.setProperties(copy(properties));
                Locale.setDefault(locale);
                TimeZone.setDefault(zone);
                Thread.setDefaultUncaughtExceptionHandler(null);
                LogManager.getLogManager().readConfiguration();
            } else {
                System.setProperties(copy(properties));
            }
            System.setIn(new Silence());
            System.setOut(out);
            System.setErr(err);
            Loader loader = isFresh ? new Loader() : kept;
            Game game = new Game(loader, args[3], words);
            current = game;
            isClean = game.play() && streams().equals(streams);
            answers.write((game.code + (isClean ? " 0\n" : " 1\n")).getBytes(StandardCharsets.US_ASCII));
            answers.flush();
        }
        Runtime.getRuntime().halt(0);
    }

    /** Takes the place of System.exit in the referee's classes: ends the game and leaves the JVM. */
    public static void exit(int code) {
        current.end(code);
        throw new GameEnd();
    }

    /** What standard output and error lead to: a game that closes them, not System.out, leaves nothing to the next. */
    private static String streams() throws IOException {
        return Files.readSymbolicLink(Path.of("/proc/self/fd/1")) + " " + Files.readSymbolicLink(Path.of("/proc/self/fd/2"));
    }

    private static String[] read(DataInputStream in) throws IOException {
        String[] words = new String[in.readInt()];
        for (int i = 0; i < words.length; ++i) {
            byte[] bytes = new byte[in.readInt()];
            in.readFully(bytes);
            words[i] = new String(bytes, StandardCharsets.UTF_8);
        }
        return words;
    }

    private static URL[] urls(String classPath) throws IOException {
        String[] parts = classPath.split(File.pathSeparator);
        URL[] urls = new URL[parts.length];
        for (int i = 0; i < parts.length; ++i) {
            urls[i] = Path.of(parts[i]).toAbsolutePath().toUri().toURL();
        }
        return urls;
    }

    /** The encoding that the JVM chose for a stream; before Java 18 it does not say, and it is the default. */
    private static Charset charset(PrintStream stream) {
        try {
            return (Charset) PrintStream.class.getMethod("charset").invoke(stream);
        } catch (ReflectiveOperationException older) {
            return Charset.defaultCharset();
        }
    }

    private static Properties copy(Properties from) {
        Properties to = new Properties();
        to.putAll(from);
        return to;
    }

    /** Unwinds a thread that has called System.exit. */
    private static final class GameEnd extends Error {
        private static final long serialVersionUID = 1;

        GameEnd() {
            super(null, null, false, false);
        }
    }

    /** One game and its threads. */
    private static final class Game extends ThreadGroup {
        private final Loader loader;
        private final String mainClass;
        private final String[] words;
        private final CountDownLatch mainIsDone = new CountDownLatch(1);
        private boolean isOver;
        private int code;
        private volatile int thrownCode;

        Game(Loader loader, String mainClass, String[] words) {
            super("main");
            this.loader = loader;
            this.mainClass = mainClass;
            this.words = words;
        }

        /** Plays it to its end. Gives false if something of it goes on. */
        boolean play() throws InterruptedException {
            OUT.isOpen = true;
            ERR.isOpen = true;
            Thread main = new Thread(this, this::call, "main");
            main.setContextClassLoader(loader);
            main.start();
            mainIsDone.await();
            for (Optional<Thread> thread = lasting(); thread.isPresent() && !isOver(); thread = lasting()) {
                thread.get().join(5);
            }
            end(thrownCode);
            return leave();
        }

        private void call() {
            try {
                Method method = Class.forName(mainClass, true, loader).getMethod("main", String[].class);
                method.setAccessible(true);
                method.invoke(null, (Object) words);
            } catch (InvocationTargetException thrown) {
                fail(thrown.getCause());
            } catch (Throwable thrown) {
                fail(thrown);
            }
            mainIsDone.countDown();
        }

        /** What a JVM does with an exception that main lets through; the trace ends where the referee's own does. */
        private void fail(Throwable thrown) {
            if (thrown instanceof GameEnd) {
                return;
            }
            for (Throwable part = thrown; part != null; part = part.getCause()) {
                StackTraceElement[] frames = part.getStackTrace();
                int kept = frames.length;
                while (kept > 0 && isOurs(frames[kept - 1].getClassName())) {
                    --kept;
                }
                part.setStackTrace(Arrays.copyOf(frames, kept));
            }
            thrownCode = 1;
            uncaughtException(Thread.currentThread(), thrown);
        }

        private static boolean isOurs(String name) {
            return name.startsWith("harness.WarmReferee")
                    || name.startsWith("java.lang.reflect.")
                    || name.startsWith("jdk.internal.reflect.")
                    || name.startsWith("java.lang.invoke.")
                    || name.equals("java.lang.Thread");
        }

        @Override
        public void uncaughtException(Thread thread, Throwable thrown) {
            if (!(thrown instanceof GameEnd)) {
                super.uncaughtException(thread, thrown);
            }
        }

        private synchronized boolean isOver() {
            return isOver;
        }

        /** Takes the first exit code; what is printed after it is lost, as the JVM's end would have it. */
        synchronized void end(int exitCode) {
            if (!isOver) {
                isOver = true;
                code = exitCode;
                System.out.flush();
                System.err.flush();
                OUT.isOpen = false;
                ERR.isOpen = false;
                mainIsDone.countDown();
            }
        }

        private Optional<Thread> lasting() {
            return Arrays.stream(threads()).filter(thread -> !thread.isDaemon()).findAny();
        }

        private Thread[] threads() {
            Thread[] found = new Thread[64 + 2 * activeCount()];
            return Arrays.copyOf(found, enumerate(found));
        }

        /** Ends what the game has left: its processes, then its threads. Gives false if a thread goes on. */
        private boolean leave() throws InterruptedException {
            ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
            Thread[] left = threads();
            for (Thread thread : left) {
                thread.interrupt();
            }
            long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LEAVE_MS);
            for (Thread thread : left) {
                thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime())));
            }
            return threads().length == 0;
        }
    }

    /** The way to this process's standard output or error while a game lasts. */
    private static final class Tap extends OutputStream {
        private final FileOutputStream to;
        private volatile boolean isOpen;

        Tap(FileDescriptor descriptor) {
            to = new FileOutputStream(descriptor);
        }

        @Override
        public void write(int b) throws IOException {
            if (isOpen) {
                to.write(b);
            }
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            if (isOpen) {
                to.write(bytes, from, length);
            }
        }
    }

    /** System.out or System.err: closing it closes it for one game. */
    private static final class Voice extends PrintStream {
        private final Tap tap;

        Voice(Tap tap, boolean flushes, Charset charset) {
            super(tap, flushes, charset);
            this.tap = tap;
        }

        @Override
        public void close() {
            flush();
            tap.isOpen = false;
        }
    }

    /** Standard input with nothing in it. */
    private static final class Silence extends InputStream {
        @Override
        public int read() {
            return -1;
        }
    }

    /** Loads the referee's classes, in which System.exit becomes ours; the JDK's are everybody's. */
    private static final class Loader extends URLClassLoader {
        private static final Map<String, byte[]> CHANGED = new ConcurrentHashMap<>();
        private static final Set<String> SEEN = ConcurrentHashMap.newKeySet();
        private static URL[] classPath;

        static {
            registerAsParallelCapable();
        }

        Loader() {
            super(classPath, ClassLoader.getPlatformClassLoader());
            getResource("META-INF/MANIFEST.MF"); // opens the first jar
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (name.equals("harness.WarmReferee")) {
                return WarmReferee.class;
            }
            byte[] changed = SEEN.contains(name) ? CHANGED.get(name) : look(name);
            if (changed == null) {
                return super.findClass(name);
            }
            int dot = name.lastIndexOf('.');
            if (dot > 0 && getDefinedPackage(name.substring(0, dot)) == null) {
                try {
                    definePackage(name.substring(0, dot), null, null, null, null, null, null, null);
                } catch (IllegalArgumentException meanwhile) {
                    // another thread was first
                }
            }
            return defineClass(name, ByteBuffer.wrap(changed), new CodeSource(place(name), (Certificate[]) null));
        }

        /** Reads a class that no game has loaded yet: its changed bytes, or null if nothing in it has to change. */
        private byte[] look(String name) {
            byte[] changed = null;
            try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
                changed = in == null ? null : ExitCalls.redirect(in.readAllBytes(), OWN_NAME);
            } catch (IOException | RuntimeException unreadable) {
                return null; // whoever loads it will say what is wrong with it
            }
            if (changed != null) {
                CHANGED.put(name, changed);
            }
            SEEN.add(name);
            return changed;
        }

        private URL place(String name) {
            URL url = findResource(name.replace('.', '/') + ".class");
            try {
                URLConnection connection = url.openConnection();
                return connection instanceof JarURLConnection ? ((JarURLConnection) connection).getJarFileURL() : url;
            } catch (IOException unknown) {
                return url;
            }
        }
    }

    /** Changes class files: the calls of System.exit(int) become calls of a static method of another class. */
    private static final class ExitCalls {
        /** Gives the class with its calls changed, null if it has none. Throws RuntimeException if it is no class file. */
        static byte[] redirect(byte[] bytes, String target) throws IOException {
            ByteBuffer in = ByteBuffer.wrap(bytes);
            int count = in.getShort(8) & 0xffff;
            int[] at = new int[count];
            int place = 10;
            for (int index = 1; index < count; ++index) {
                at[index] = place;
                switch (bytes[place]) {
                    case 1: // text
                        place += 3 + (in.getShort(place + 1) & 0xffff);
                        break;
                    case 5: // long and double take two places
                    case 6:
                        place += 9;
                        ++index;
                        break;
                    case 7:
                    case 8:
                    case 16:
                    case 19:
                    case 20:
                        place += 3;
                        break;
                    case 15:
                        place += 4;
                        break;
                    default:
                        place += 5;
                }
            }
            byte[] changed = bytes.clone();
            boolean isChanged = false;
            for (int index = 1; index < count; ++index) {
                if (at[index] > 0 && bytes[at[index]] == 10) {
                    int owner = at[in.getShort(at[index] + 1) & 0xffff];
                    int nameAndType = at[in.getShort(at[index] + 3) & 0xffff];
                    if (text(in, at, owner + 1).equals("java/lang/System")
                            && text(in, at, nameAndType + 1).equals("exit")
                            && text(in, at, nameAndType + 3).equals("(I)V")) {
                        ByteBuffer.wrap(changed).putShort(at[index] + 1, (short) (count + 1));
                        isChanged = true;
                    }
                }
            }
            if (!isChanged || count > 65000) {
                return null;
            }
            ByteArrayOutputStream whole = new ByteArrayOutputStream(bytes.length + 64);
            DataOutputStream out = new DataOutputStream(whole);
            out.write(changed, 0, 8);
            out.writeShort(count + 2);
            out.write(changed, 10, place - 10);
            out.writeByte(1);
            out.writeUTF(target);
            out.writeByte(7);
            out.writeShort(count);
            out.write(changed, place, bytes.length - place);
            return whole.toByteArray();
        }

        /** The text to which the index at a place leads. */
        private static String text(ByteBuffer in, int[] at, int place) {
            int start = at[in.getShort(place) & 0xffff];
            int length = in.getShort(start + 1) & 0xffff;
            return new String(in.array(), start + 3, length, StandardCharsets.UTF_8);
        }
    }
}
