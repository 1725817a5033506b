package icemelt.spark;

import java.net.SocketException;
import java.util.List;
import py4j.DefaultGatewayServerListener;
import py4j.GatewayServer;
import py4j.Py4JServerConnection;

/**
 * Sends Java's replies to Python at once. By itself a socket keeps the rest of a reply of more than 8
 * KB back until Python's system has confirmed the first part, which that puts off for 40 ms.
 */
public final class PromptReplies extends DefaultGatewayServerListener {
  private PromptReplies() {}

  /** Has a server reply at once to the connection that asks for it, and to later ones. */
  public static void of(GatewayServer server) throws ReflectiveOperationException {
    var field = GatewayServer.class.getDeclaredField("connections");
    field.setAccessible(true);
    PromptReplies prompt = new PromptReplies();
    server.addListener(prompt);
    for (Object connection : List.copyOf((List<?>) field.get(server))) {
      prompt.connectionStarted((Py4JServerConnection) connection);
    }
  }

  @Override
  public void connectionStarted(Py4JServerConnection connection) {
    try {
      connection.getSocket().setTcpNoDelay(true);
    } catch (SocketException error) {
      // the connection has ended already: whoever reads it finds that
    }
  }
}
