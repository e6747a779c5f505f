// SPDX-License-Identifier: MIT

import Glibc
import Synchronization
import TestSupport
import Testing

@testable import FakeServer
@testable import OppiHost

@Suite("Interventions at streams and messages")
struct StreamInterventionTests {
  @Test("the interceptor runs on the server's own thread")
  func oneThread() throws {
    let threads = Threads()
    var configuration = FakeServer.Configuration()
    configuration.interceptor = { _ in
      _ = threads.ids.withLock { $0.insert(pthread_self()) }
      return .proceed
    }
    try TestClient.run(configuration) { client in
      for prompt in ["hello", "child"] {
        let (stream, id) = try await client.openSubscribed()
        try await stream.prompt(prompt, in: id)
        try await stream.readRun()
      }
    }
    #expect(threads.ids.withLock(\.count) == 1)
    #expect(threads.ids.withLock { !$0.contains(pthread_self()) })
  }

  private final class Threads: Sendable {
    let ids = Mutex<Set<pthread_t>>([])
  }

  @Test("a silent client is pinged, and disconnected if it does not answer")
  func keepalive() throws {
    try TestClient.run(.with { $0.limits.pingInterval = .milliseconds(5) }) { client in
      _ = try await client.openStream()
      try await client.wait { $0.endedConnections == 1 }
    }
  }
}
