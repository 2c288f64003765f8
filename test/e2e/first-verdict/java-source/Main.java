import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;

/** A service of one replica, whose virtual machine takes its time to start. */
class Main {
  public static void main(String[] args) throws Exception {
    HttpServer server = HttpServer.create(new InetSocketAddress(8080), 64);
    server.createContext("/", exchange -> {
      exchange.sendResponseHeaders(200, 2);
      try (var body = exchange.getResponseBody()) {
        body.write("ok".getBytes());
      }
    });
    server.start();
  }
}
