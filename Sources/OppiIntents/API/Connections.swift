// SPDX-License-Identifier: MIT

package import EventLoop
package import OppiModel
package import OppiSystem
package import OppiTransport

/// Creates clients of paired servers with their tokens, pins and proxies.
package struct Connections: Sendable {
  package let network: Network
  private let credentials: CredentialStore

  package init(network: Network, credentials: CredentialStore) {
    self.network = network
    self.credentials = credentials
  }

  package var loop: EventLoop { network.loop }

  /// Reads the stored tokens once, for several clients.
  func tokens() -> CredentialStore.StoredTokens { credentials.storedTokens() }

  /// Returns a client with the server's token; `tokens` saves a second read of the credential
  /// store.
  ///
  /// - Throws: `.credential` if no token is available.
  package func client(
    for server: PairedServer,
    with tokens: CredentialStore.StoredTokens? = nil
  ) async throws(IntentError) -> IntentAPIClient {
    let token: String
    do {
      token = try await credentials.token(for: server, among: tokens)
    } catch {
      throw .credential(error, server: server.name)
    }
    return IntentAPIClient(
      network: network,
      destination: try destination(of: server),
      serverName: server.name,
      token: token
    )
  }

  private func destination(
    of server: PairedServer
  ) throws(IntentError) -> Network.Destination {
    let proxy = server.proxy.flatMap(Proxy.init(url:))
    // An invalid proxy URL must not turn into a direct connection.
    guard server.proxy == nil || proxy != nil else {
      throw .transport(.proxyFailed(reason: "invalid URL"), server: server.name)
    }
    return Network.Destination(
      endpoint: server.endpoint,
      pin: server.certificatePin,
      proxy: proxy
    )
  }
}
