// SPDX-License-Identifier: MIT

import Testing

@testable import OppiModel
@testable import OppiText
@testable import OppiWire

@Suite struct QueuedPromptTests {
  static let now = Timestamp(milliseconds: 1_800_000_000_000)

  static func prompt(_ change: (inout QueuedPrompt) -> Void = { _ in }) throws -> QueuedPrompt {
    var content = Prompt("do it\u{1F600}\n{{x}}", clientTurnID: "turn-1")
    content.images = [ImageAttachment(mediaType: "image/png", data: [1, 2, 255])]
    content.model = "anthropic/claude"
    content.thinking = .high
    content.title = "nightly"
    content.defaults = SessionDefaults(model: "a/b", thinking: .low)
    let server = Fingerprint(digest: Array(repeating: 7, count: 32))
    var prompt = QueuedPrompt(
      key: try #require(OutboxKey("nightly")),
      target: QueuedPrompt.Target(on: server, named: "studio"),
      content: content,
      createdAt: now
    )
    (prompt.target.workspaceID, prompt.target.workspaceName) = ("demo0001", "demo")
    prompt.isKeyKept = true
    prompt.expiresAt = now.moved(by: .seconds(60))
    change(&prompt)
    return prompt
  }

  static let departure = PromptDelivery.SendRecord(
    clientTurnID: "turn-1-again",
    kind: .followUp,
    anchor: 12,
    messageCount: 3,
    stream: .perSession
  )

  static let states: [QueuedPrompt.State] = [
    .waiting(retryAt: nil), .waiting(retryAt: now.moved(by: .milliseconds(1234))),
    .departed(departure, at: MachineTime(timeOfDay: now, sinceBoot: .seconds(77))),
    .departed(departure, at: MachineTime(timeOfDay: now)), .delivered(.queued), .failed, .expired,
    .unknown, .launched(at: nil), .launched(at: MachineTime(timeOfDay: now)),
    .launched(at: MachineTime(timeOfDay: now, sinceBoot: .seconds(77))),
  ]

  @Test("a prompt survives a round trip in every state", arguments: states)
  func roundTrip(state: QueuedPrompt.State) throws {
    let prompt = try Self.prompt { prompt in
      prompt.attempts = 3
      prompt.sessionID = "-session"
      prompt.mayHaveSession = true
      prompt.endsSession = true
      prompt.content.conversation = "nightly"
      let reason = FailureReason(code: "no-room", message: "no room")
      prompt.become(state, because: reason, at: Self.now.moved(by: .seconds(1)))
    }
    let text = prompt.json.text(.indented)
    let read = QueuedPrompt(json: try JSONValue(parsing: Array(text.utf8)))
    #expect(read == prompt)
  }

  @Test(
    "a damaged file is rejected",
    arguments: [
      "key", "prompt", "state", "serverId", "clientTurnId", "createdAt", "attempts",
      "workspaceId", "isKeyKept", "departure", "conversation",
    ]
  )
  func damaged(member: String) throws {
    let prompt = try Self.prompt {
      $0.become(.departed(Self.departure, at: MachineTime(timeOfDay: Self.now)), at: Self.now)
    }
    // A prompt may have no conversation.
    for value in [nil, JSONValue.array([])] where value != nil || member != "conversation" {
      var members = try #require(prompt.json.object)
      members[member] = value
      #expect(QueuedPrompt(json: .object(members)) == nil, "\(member)")
    }
  }

  @Test("a departure time is validated, and may lack the time since boot")
  func departureTime() throws {
    let left = MachineTime(timeOfDay: Self.now, sinceBoot: .seconds(77))
    let prompt = try Self.prompt { $0.become(.departed(Self.departure, at: left), at: Self.now) }
    func read(_ change: (inout JSONObject) -> Void) throws -> QueuedPrompt? {
      var members = try #require(prompt.json.object)
      var departure = try #require(members["departure"]?.object)
      change(&departure)
      members["departure"] = .object(departure)
      return QueuedPrompt(json: .object(members))
    }
    #expect(try read { $0["sinceBoot"] = "77" } == nil)
    #expect(try read { $0["at"] = nil } == nil)
    let earlier = MachineTime(timeOfDay: Self.now)
    #expect(try read { $0["sinceBoot"] = nil }?.state == .departed(Self.departure, at: earlier))
  }

  @Test("a prompt is retried after 30 s, with the delay doubled up to 1 h")
  func backoff() throws {
    var prompt = try Self.prompt { $0.expiresAt = nil }
    var pauses: [Int] = []
    for _ in 1...9 {
      prompt.begin(at: Self.now)
      prompt.postpone(because: nil, at: Self.now, spread: 0)
      pauses.append(Self.now.age(at: prompt.retryAt ?? Self.now))
      #expect(!prompt.isDue(at: Self.now))
      #expect(prompt.isDue(at: try #require(prompt.retryAt)))
    }
    #expect(pauses == [30, 60, 120, 240, 480, 960, 1920, 3600, 3600])
    prompt.postpone(because: nil, at: Self.now, spread: 1)
    #expect(prompt.retryAt == Self.now.moved(by: .seconds(4500)))
  }

  @Test(
    "a waiting prompt expires at its deadline and is due then, but a sent prompt does not expire"
  )
  func expiry() throws {
    var prompt = try Self.prompt()
    let end = Self.now.moved(by: .seconds(60))
    let early = end.moved(by: .milliseconds(-1))
    prompt.expire(at: early)
    #expect(prompt.isOpen && prompt.isOpen(at: early) && !prompt.isOpen(at: end))
    prompt.begin(at: Self.now)
    prompt.postpone(because: nil, at: Self.now.moved(by: .seconds(50)), spread: 0)
    #expect(prompt.isDue(at: end))
    prompt.expire(at: end)
    #expect(prompt.state == .expired && !prompt.isOpen)
    var left = try Self.prompt()
    left.become(.departed(Self.departure, at: MachineTime(timeOfDay: Self.now)), at: Self.now)
    left.expire(at: Self.now.moved(by: .seconds(100)))
    #expect(left.isOpen)
  }

  @Test("an attempt may have created a session unless the prompt names one")
  func session() throws {
    var prompt = try Self.prompt()
    prompt.begin(at: Self.now)
    #expect(prompt.mayHaveSession && prompt.attempts == 1)
    var other = try Self.prompt { $0.target.sessionID = "there" }
    other.begin(at: Self.now)
    #expect(!other.mayHaveSession)
  }

  @Test("a manual retry has a new turn id, and is queued")
  func renewed() throws {
    var prompt = try Self.prompt { prompt in
      prompt.sessionID = "S"
      prompt.isQueued = false
      (prompt.attempts, prompt.mayHaveSession) = (5, true)
      (prompt.notBefore, prompt.expectedMessageCount) = (Self.now.moved(by: .seconds(60)), 3)
      prompt.become(.unknown, at: Self.now)
    }
    prompt.renew(clientTurnID: "turn-2", at: Self.now)
    #expect(prompt.state == .waiting(retryAt: nil) && prompt.isQueued)
    #expect(
      prompt.content.clientTurnID == "turn-2" && prompt.sessionID == nil && prompt.expiresAt == nil
    )
    #expect(!prompt.isContinuation && !prompt.isHeldBack(at: Self.now))
    #expect(!prompt.mayHaveSession)
    // Its pauses begin anew.
    prompt.begin(at: Self.now)
    prompt.postpone(because: nil, at: Self.now, spread: 0)
    #expect(prompt.retryAt == Self.now.moved(by: .seconds(30)))
  }

  @Test("only a prompt for which no attempt was made may use the session of another one")
  func joins() throws {
    func mayJoin(_ change: (inout QueuedPrompt) -> Void = { _ in }) throws -> Bool {
      try Self.prompt { prompt in
        prompt.content.conversation = "standup"
        change(&prompt)
      }.mayJoin
    }
    #expect(try mayJoin())
    #expect(try !mayJoin { $0.content.conversation = nil })
    #expect(try !mayJoin { $0.target.sessionID = "there" })
    #expect(try !mayJoin { $0.sessionID = "own" })
    #expect(try !mayJoin { $0.mayHaveSession = true })
    for state in Self.states {
      let isWaiting = if case .waiting = state { true } else { false }
      #expect(try mayJoin { $0.state = state } == isWaiting, "\(state)")
    }
  }

  @Test("of a delivered prompt only, the end of its session is left to do")
  func sessionToEnd() throws {
    for (state, isDone) in [
      (QueuedPrompt.State.delivered(.started), false), (.failed, true), (.expired, true),
      (.unknown, true), (.waiting(retryAt: nil), false),
    ] {
      var prompt = try Self.prompt { ($0.state, $0.endsSession) = (state, true) }
      #expect(prompt.isDone == isDone, "\(state)")
      prompt.endsSession = false
      #expect(prompt.isDone == !prompt.isOpen, "\(state)")
    }
  }

  @Test("the title of the session contains the key")
  func title() throws {
    #expect(try Self.prompt().sessionTitle == "nightly")
    #expect(try Self.prompt { $0.content.title = "daily" }.sessionTitle == "daily [nightly]")
    #expect(
      try Self.prompt { $0.content.title = nil }.sessionTitle == "do it😀 {{x}} [nightly]"
    )
  }

  @Test("the receipt of a delivered prompt does not contain the prompt")
  func receipt() throws {
    let receipt = try Self.prompt { $0.become(.delivered(.accepted), at: Self.now) }.receipt
    let text = receipt.json.text()
    #expect(!text.contains("do it") && !text.contains("claude") && !text.contains("image/"))
    #expect(QueuedPrompt(json: receipt.json) == receipt)
  }
}

extension QueuedPromptTests {
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
  }

  @Test("a sent or launched prompt is checked 30 s later, or at once if the clock was set back")
  func sentAgain() throws {
    let time = MachineTime(timeOfDay: Self.now)
    for state in [QueuedPrompt.State.departed(Self.departure, at: time), .launched(at: time)] {
      var prompt = try Self.prompt()
      prompt.begin(at: Self.now)
      prompt.become(state, at: Self.now)
      for (seconds, isDue) in [(-1, true), (0, false), (29, false), (30, true)] {
        #expect(prompt.isDue(at: Self.now.moved(by: .seconds(seconds))) == isDue, "\(seconds)")
      }
    }
  }

  @Test("a prompt that is held back is due when it expires")
  func heldBackAndLate() throws {
    let prompt = try Self.prompt { $0.notBefore = Self.now.moved(by: .seconds(3600)) }
    for (seconds, isDue) in [(59, false), (60, true)] {
      #expect(prompt.isDue(at: Self.now.moved(by: .seconds(seconds))) == isDue, "\(seconds)")
    }
  }

  @Test("a repeated request keeps a prompt queued, and the later of both deadlines")
  func repeated() throws {
    func prompt(_ seconds: Int?, isQueued: Bool = true) throws -> QueuedPrompt {
      try Self.prompt { prompt in
        prompt.expiresAt = seconds.map { Self.now.moved(by: .seconds($0)) }
        prompt.isQueued = isQueued
      }
    }
    for (stored, again, merged) in [
      (60, 90, 90), (90, 60, 90), (nil, 60, nil), (60, nil, nil),
    ] as [(Int?, Int?, Int?)] {
      let result = try prompt(stored).repeated(as: prompt(again))
      #expect(try result.expiresAt == prompt(merged).expiresAt)
    }
    for (stored, again) in [(true, false), (false, true), (true, true), (false, false)] {
      let result = try prompt(60, isQueued: stored).repeated(as: prompt(60, isQueued: again))
      #expect(result.isQueued == (stored || again), "\(stored), \(again)")
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
    // A prompt that was sent, which is so after its time, must be checked whatever the clock says.
    prompt.notBefore = Self.now.moved(by: .seconds(60))
    prompt.state = .departed(Self.departure, at: MachineTime(timeOfDay: Self.now))
    #expect(!prompt.isHeldBack(at: Self.now))
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
    // Of two that were queued at the same moment, one waits for the other.
    let key = try #require(OutboxKey("weekly"))
    let twin = try later { ($0.key, $0.createdAt) = (key, first.createdAt) }
    #expect(twin.comesAfter(first, at: now) && !first.comesAfter(twin, at: now))
    let end = Self.now.moved(by: .seconds(60))
    #expect(try !later().comesAfter(first, at: end), "the earlier one has expired")
    #expect(try !later { $0.target.sessionID = "elsewhere" }.comesAfter(first, at: now))
    let other = Fingerprint(digest: Array(repeating: 8, count: 32))
    #expect(try !later { $0.target.serverID = other }.comesAfter(first, at: now))
  }

  @Test("a prompt waits for an open prompt that was queued earlier for the same conversation")
  func orderOfConversation() throws {
    let first = try Self.prompt { $0.content.conversation = "standup" }
    func later(_ conversation: String?) throws -> QueuedPrompt {
      try Self.prompt { prompt in
        prompt.content.conversation = conversation
        prompt.createdAt = Self.now.moved(by: .milliseconds(1))
      }
    }
    #expect(try later("standup").comesAfter(first, at: Self.now))
    #expect(try !later("other").comesAfter(first, at: Self.now))
    #expect(try !later(nil).comesAfter(first, at: Self.now))
  }

  @Test("a delivered prompt is the same prompt also for the session that it got")
  func sameInItsSession() throws {
    let delivered = try Self.prompt { $0.become(.delivered(.started), at: Self.now) }
    let again = try Self.prompt { $0.target.sessionID = "there" }
    #expect(delivered.asksTheSame(as: again) && again.asksTheSame(as: delivered))
  }

  @Test("a prompt for a session is the same one if its workspace is unknown")
  func sameWithoutWorkspace() throws {
    let known = try Self.prompt { $0.target.sessionID = "there" }
    let unknown = try Self.prompt { ($0.target.sessionID, $0.target.workspaceID) = ("there", nil) }
    #expect(known.asksTheSame(as: unknown) && unknown.asksTheSame(as: known))
    let other = try Self.prompt { ($0.target.sessionID, $0.target.workspaceID) = ("here", nil) }
    #expect(!known.asksTheSame(as: other) && !unknown.asksTheSame(as: other))
    let new = try Self.prompt()
    #expect(!new.asksTheSame(as: unknown))
    let delivered = try Self.prompt {
      $0.sessionID = "there"
      $0.become(.delivered(.started), at: Self.now)
    }
    #expect(delivered.asksTheSame(as: unknown) && !delivered.asksTheSame(as: other))
  }

  @Test("two prompts are the same only if their content, target and conversation are equal")
  func sameAgain() throws {
    let prompt = try Self.prompt()
    #expect(try prompt.asksTheSame(as: Self.prompt { $0.createdAt = .init(seconds: 1) }))
    let changes: [(String, (inout QueuedPrompt) -> Void)] = [
      ("server", { $0.target.serverID = Fingerprint(digest: Array(repeating: 8, count: 32)) }),
      ("workspace", { $0.target.workspaceID = "demo0002" }),
      ("session", { $0.target.sessionID = "there" }),
      ("conversation", { $0.content.conversation = "x" }),
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
      content.clientTurnID = "turn-2"
      let other = QueuedPrompt(
        key: prompt.key,
        target: prompt.target,
        content: content,
        createdAt: prompt.createdAt
      )
      #expect(!prompt.asksTheSame(as: other), "\(what)")
    }
  }
}

@Suite struct OutboxKeyTests {
  @Test(
    "a key is a valid file name",
    arguments: ["a", "standup", "7", "nightly@2026-11-22T03:00", "a.b_c:d+e-f"]
  )
  func valid(text: String) { #expect(OutboxKey(text)?.text == text) }

  @Test(
    "any other text is rejected",
    arguments: ["", ".", "..", ".hidden", "-option", "a/b", "a b", "a\n", "\u{0}", "ä", "a%"]
  )
  func invalid(text: String) { #expect(OutboxKey(text) == nil) }

  @Test("a key has at most 100 characters")
  func length() {
    #expect(OutboxKey(String(repeating: "k", count: 100)) != nil)
    #expect(OutboxKey(String(repeating: "k", count: 101)) == nil)
  }

  @Test("a derived key depends on all its parts and on nothing else")
  func derived() {
    let key = OutboxKey(digestOf: ["server", "workspace", "do it"])
    #expect(key == OutboxKey(digestOf: ["server", "workspace", "do it"]))
    #expect(OutboxKey(key.text) == key)
    #expect(key != OutboxKey(digestOf: ["server", "workspace", "do it "]))
    #expect(key != OutboxKey(digestOf: ["serverw", "orkspace", "do it"]))
    #expect(OutboxKey(digestOf: ["x"], number: 2).text == OutboxKey(digestOf: ["x"]).text + "-2")
  }

  @Test(
    "the digest is FNV-1a with 128 bits",
    arguments: [
      ("", "6c62272e07bb014262b821756295c58d"), ("a", "d228cb696f1a8caf78912b704e4a8964"),
      ("foobar", "343e1662793c64bf6f0d3597ba446f18"),
    ]
  )
  func digest(text: String, hexadecimal: String) {
    var digest = FNVDigest()
    digest.add(text.utf8)
    #expect(digest.hexadecimal == hexadecimal)
  }
}
