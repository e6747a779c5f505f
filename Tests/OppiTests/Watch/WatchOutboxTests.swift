// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem
import OppiText
import OppiWire
import TestSupport
import Testing

@testable import Oppi
@testable import OppiClient
@testable import OppiPrompts
@testable import OppiTestSupport

/// When a watch delivers queued prompts, and reports expired ones.
@Suite struct WatchOutboxTests {
  private static func keep(_ key: String, until end: Timestamp? = nil, in home: FlowWorld) throws {
    var prompt = QueuedPrompt(
      key: try #require(OutboxKey(key)),
      target: .demo(on: Fingerprint.sample(1)),
      content: Prompt("hello", clientTurnID: "turn-\(key)"),
      createdAt: home.context.now()
    )
    prompt.isKeyKept = true
    prompt.expiresAt = end
    try home.context.outbox.save(prompt)
  }

  @Test("an expired prompt that cannot be written is tried again after the outbox has changed")
  func expiry() {
    inFlowWorld([]) { home in
      let now = home.context.now()
      var outbox = WatchOutbox()
      func isDue() -> Bool { outbox.expiryJob(in: home.context) != nil }
      #expect(!isDue(), "there is no prompt")
      try Self.keep("a", until: now.moved(by: .seconds(10)), in: home)
      try Self.keep("later", until: now.moved(by: .seconds(3600)), in: home)
      #expect(!isDue())
      try await home.world.pass(.seconds(10))
      #expect(isDue())
      #expect(!isDue(), "a search is under way")
      let key = try #require(OutboxKey("a"))
      let error = FileError.newerVersion(path: "/outbox/a.json", version: 9)
      let line = FlushLine(step: .unusable(key, error), at: now)
      #expect(outbox.take(expired: [line]).count == 1)
      #expect(!isDue(), "nothing has changed")
      try Self.keep("b", until: now, in: home)
      #expect(isDue())
    }
  }

  @Test("the prompts of a server are tried every 30 s, and at once when it is back")
  func pauses() {
    inFlowWorld(["studio", "attic"]) { home in
      try Self.keep("a", in: home)
      let (studio, attic) = (home.paired[0], home.paired[1])
      var outbox = WatchOutbox()
      func isDue(_ server: PairedServer, isBack: Bool = false) -> Bool {
        outbox.job(for: server, isBack: isBack, in: home.context) != nil
      }
      #expect(isDue(studio))
      #expect(!isDue(studio), "a delivery is under way")
      #expect(isDue(attic))
      _ = outbox.take([], of: studio)
      #expect(!isDue(studio))
      #expect(isDue(studio, isBack: true))
      #expect(!isDue(studio, isBack: true), "a delivery is under way")
      _ = outbox.take([], of: studio)
      #expect(isDue(studio), "it came back during the delivery")
      _ = outbox.take([], of: studio)
      try await home.world.pass(.seconds(29))
      #expect(!isDue(studio))
      try await home.world.pass(.seconds(1))
      #expect(isDue(studio))
    }
  }
}
