// SPDX-License-Identifier: MIT

import EventLoop
import FakeServer
import OppiModel
import OppiTransport
import TestSupport
import Testing

@testable import Oppi

/// Feeds whose server stays down.
@Suite struct FeedEndTests {
  @Test(
    "a feed stops retrying when its patience ends, after at most a few retries",
    arguments: Bench.allDialects,
    [Duration.zero, .milliseconds(5), .milliseconds(300)]
  )
  func givesUp(dialect: Dialect, patience: Duration) async throws {
    let bench = try Bench(dialect)
    let news = try await bench.run { [server = bench.server] desk in
      let session = try await desk.newSession()
      var feed = SessionFeed(api: desk.direct, session: session, patience: patience)
      while case .changes? = try await feed.next(until: .farOff) {}
      _ = await server.crash()
      var news: [String] = []
      let deadline = EventLoop.Instant.farOff
      while let piece = try await feed.next(until: deadline), news.count < 20 {
        switch piece {
        case .changes, .past: news.append("message")
        case .standing: news.append("standing")
        case .lost: news.append("lost")
        case .renewing: news.append("renewing")
        case .givenUp:
          // Further calls do not retry.
          guard case .givenUp? = try await feed.next(until: deadline) else { return ["more"] }
          return news
        }
      }
      return ["silence"]
    }
    #expect(news.allSatisfy { $0 == "lost" }, "\(news)")
    #expect(news.count <= (patience < .milliseconds(100) ? 1 : 3), "\(news)")
  }
}
