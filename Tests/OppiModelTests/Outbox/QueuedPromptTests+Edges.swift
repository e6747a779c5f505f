// SPDX-License-Identifier: MIT

import Testing

@testable import OppiModel

extension QueuedPromptTests {
  @Test("a prompt expires at its deadline, and not a millisecond earlier")
  func expiryEdge() throws {
    let end = Self.now.moved(by: .seconds(60))
    for (moment, isOpen) in [(end.moved(by: .milliseconds(-1)), true), (end, false)] {
      var prompt = try Self.prompt()
      #expect(prompt.isOpen(at: moment) == isOpen)
      prompt.expire(at: moment)
      #expect(prompt.isOpen == isOpen && (prompt.state == .expired) != isOpen)
    }
  }

  @Test("a delay beyond twice the maximum is ignored, since the clock was set back")
  func clockSetBack() throws {
    var prompt = try Self.prompt { $0.expiresAt = nil }
    let longest = Duration.seconds(3600)
    for (pause, isDue) in [
      (longest, false), (longest * 2, false), (longest * 2 + .milliseconds(1), true),
    ] {
      prompt.become(.waiting(retryAt: Self.now.moved(by: pause)), at: Self.now)
      #expect(prompt.isDue(at: Self.now) == isDue, "\(pause)")
    }
    // A sent prompt is checked 30 s after the last attempt, or at once if the clock was set back.
    let left = MachineTime(timeOfDay: Self.now)
    prompt.begin(at: Self.now)
    prompt.become(.departed(Self.departure, at: left), at: Self.now)
    for (seconds, isDue) in [(-1, true), (0, false), (29, false), (30, true)] {
      #expect(prompt.isDue(at: Self.now.moved(by: .seconds(seconds))) == isDue, "\(seconds)")
    }
  }

  @Test("a prompt is held back until its time, unless the clock was set back")
  func heldBack() throws {
    var prompt = try Self.prompt { $0.expiresAt = nil }
    for (pause, isHeldBack) in [
      (Duration.zero, false), (.milliseconds(1), true), (UsageLimit.longestWait, true),
      (UsageLimit.longestWait * 2 - .milliseconds(1), true),
      (UsageLimit.longestWait * 2, false),
    ] {
      prompt.notBefore = Self.now.moved(by: pause)
      #expect(prompt.isHeldBack(at: Self.now) == isHeldBack, "\(pause)")
    }
  }

  @Test("a prompt waits for an open prompt that was queued earlier for the same session")
  func order() throws {
    let first = try Self.prompt { $0.target.sessionID = "there" }
    func later(_ change: (inout QueuedPrompt) -> Void = { _ in }) throws -> QueuedPrompt {
      try Self.prompt { prompt in
        prompt.target.sessionID = "there"
        prompt.createdAt = Self.now.moved(by: .milliseconds(1))
        change(&prompt)
      }
    }
    let now = Self.now.moved(by: .seconds(1))
    #expect(try later().comesAfter(first, at: now))
    #expect(try !first.comesAfter(later(), at: now), "the first one was queued earlier")
    #expect(!first.comesAfter(first, at: now))
    let end = Self.now.moved(by: .seconds(60))
    #expect(try !later().comesAfter(first, at: end), "the earlier one has expired")
    #expect(try !later { $0.target.sessionID = "elsewhere" }.comesAfter(first, at: now))
    let other = Fingerprint(digest: Array(repeating: 8, count: 32))
    #expect(try !later { $0.target.serverID = other }.comesAfter(first, at: now))
  }

  @Test("two prompts are the same only if their content, target and conversation are equal")
  func sameAgain() throws {
    let prompt = try Self.prompt()
    #expect(try prompt.asksTheSame(as: Self.prompt { $0.createdAt = .init(seconds: 1) }))
    let changes: [(String, (inout QueuedPrompt) -> Void)] = [
      ("server", { $0.target.serverID = Fingerprint(digest: Array(repeating: 8, count: 32)) }),
      ("workspace", { $0.target.workspaceID = "demo0002" }),
      ("session", { $0.target.sessionID = "there" }), ("conversation", { $0.conversation = "x" }),
      ("content", { $0.contentDigest = "0" }),
    ]
    for (what, change) in changes {
      #expect(try !prompt.asksTheSame(as: Self.prompt(change)), "\(what)")
    }
    let contents: [(String, (inout Prompt) -> Void)] = [
      ("prompt", { $0.text += " " }), ("model", { $0.model = nil }),
      ("thinking", { $0.thinking = .low }), ("title", { $0.title = nil }),
      ("picture", { $0.images[0].data = [1, 2, 254] }), ("no picture", { $0.images = [] }),
    ]
    for (what, change) in contents {
      var content = prompt.content
      change(&content)
      let other = QueuedPrompt(
        key: prompt.key,
        isKeyKept: true,
        target: prompt.target,
        content: content,
        createdAt: prompt.createdAt,
        expiresAt: nil,
        clientTurnID: "turn-2"
      )
      #expect(!prompt.asksTheSame(as: other), "\(what)")
    }
  }
}
