// SPDX-License-Identifier: MIT

import FakeServer
import OppiSystem
import OppiTerminal
import OppiText
import OppiWire
import Simulation
import Testing

@testable import Oppi
@testable import OppiClient
@testable import OppiModel
@testable import OppiTestSupport
@testable import OppiTurns

/// Images in a chat: each is in the message that the screen shows it with, or in none.
@Suite struct ChatImageTests {
  private static let image = ChatImage(
    name: "plan.png",
    content: ImageAttachment(mediaType: "image/png", data: [1, 2, 3])
  )

  private var desk = ChatDesk()

  private mutating func type(_ text: String) -> [ChatEffect] { desk.press(.text(text), .enter) }

  /// Attaches an image in the way of the user.
  private mutating func attach(_ image: ChatImage = image) throws {
    let file = try #require(Self.file(in: type("/image \(image.name)")))
    #expect(desk.update(.news(.attached(.success(image), id: file.id))).isEmpty)
  }

  private static func file(in effects: [ChatEffect]) -> ImageFile? {
    if case .attach(let file)? = effects.first { file } else { nil }
  }

  private static func prompts(in effects: [ChatEffect]) -> [Prompt] {
    effects.flatMap { effect -> [Prompt] in
      guard case .deliver(.perform(.send(let requests), _, _)) = effect else { return [] }
      return requests.compactMap { request in
        switch request.message {
        case .prompt(let prompt, _), .followUp(let prompt), .steer(let prompt): prompt
        default: nil
        }
      }
    }
  }

  // MARK: - Attaching

  @Test("an image is shown until the next message carries it")
  mutating func attached() throws {
    _ = try desk.connect()
    try attach()
    #expect(desk.shows("1 image: plan.png"))
    let sent = Self.prompts(in: type("look"))
    #expect(sent.map(\.images) == [[Self.image.content]])
    #expect(!desk.shows("1 image: plan.png") && desk.shows("sending: look [1 image]"))
    let printed = try desk.hear("look\n\nAttached files:\n- image-1.png: a/image-1.png").printed
    #expect(printed == ["▌ look", "▌ 1 image"])
    #expect(Self.prompts(in: type("more")).map(\.images) == [[]])
  }

  @Test("an uploaded image is referred to, and the message has no copy of it")
  mutating func uploaded() throws {
    _ = try desk.connect()
    var image = Self.image
    image.upload = ["id": "upl_1"]
    try attach(image)
    try attach()
    #expect(desk.shows("2 images: plan.png, plan.png"))
    let sent = Self.prompts(in: type("look"))
    #expect(sent.map(\.attachments) == [[["id": "upl_1"]]])
    #expect(sent.map(\.images) == [[Self.image.content]])
  }

  @Test("each file has a number of its own, and the sizes of those that the message has")
  mutating func numbers() throws {
    _ = try desk.connect()
    try attach()
    let second = try #require(Self.file(in: type("/image 'my plan.png'")))
    #expect((second.path, second.number, second.sizesBefore) == ("my plan.png", 2, [3]))
    _ = type("/image ")
    let third = try #require(Self.file(in: type("/image b.png")))
    #expect((third.number, third.sizesBefore) == (3, []))
  }

  @Test("no message is sent while an image is being attached")
  mutating func pending() throws {
    _ = try desk.connect()
    let file = try #require(Self.file(in: type("/image plan.png")))
    #expect(desk.shows("attaching plan.png…"))
    #expect(type("look").sent.isEmpty && desk.screen.composer.text == "look")
    #expect(desk.shows("not sent: plan.png is still being attached"))
    #expect(desk.press(.control("u"), .text("/steer so"), .enter).sent.isEmpty)
    #expect(desk.press(.control("u"), .text("/image b.png"), .enter).isEmpty)
    _ = desk.update(.news(.attached(.success(Self.image), id: file.id)))
    #expect(Self.prompts(in: type("look")).map(\.images.count) == [1])
  }

  @Test("an image that cannot be attached is named with the reason")
  mutating func failed() throws {
    _ = try desk.connect()
    let file = try #require(Self.file(in: type("/image plan.png")))
    let error = OppiError(.noInput, "no such file: plan.png")
    _ = desk.update(.news(.attached(.failure(error), id: file.id)))
    #expect(desk.shows("cannot attach plan.png: no such file: plan.png"))
    #expect(desk.screen.composer.isEmpty && !desk.shows("attaching"))
    #expect(Self.prompts(in: type("look")).map(\.images) == [[]])
  }

  @Test("images that no message can carry are not attached")
  mutating func tooLarge() throws {
    _ = try desk.connect()
    let half = ChatImage(
      name: "half.png",
      content: ImageAttachment(mediaType: "image/png", data: Array(repeating: 0, count: 11 << 20))
    )
    try attach(half)
    let file = try #require(Self.file(in: type("/image half.png")))
    _ = desk.update(.news(.attached(.success(half), id: file.id)))
    #expect(desk.shows("cannot attach half.png: the prompt with its images is larger than 16 MiB"))
    #expect(desk.shows("1 image: half.png"))
    let long = String(repeating: "a", count: 2 << 20)
    #expect(desk.screen.state.send(long, at: .zero).sent.isEmpty)
    #expect(desk.screen.state.images.line == "1 image: half.png")
  }

  @Test("'/image' without a file removes the images, also one that is being attached")
  mutating func removed() throws {
    _ = try desk.connect()
    #expect(type("/image ").isEmpty && desk.shows("no image is attached"))
    try attach()
    let file = try #require(Self.file(in: type("/image b.png")))
    #expect(type("/image ").isEmpty)
    #expect(desk.shows("removed 1 image: plan.png · attaching b.png…"))
    _ = desk.update(.news(.attached(.success(Self.image), id: file.id)))
    #expect(desk.screen.state.images.line == nil)
    _ = type("/image c.png")
    _ = desk.update(.news(.attached(.success(Self.image), id: file.id)))
    #expect(desk.screen.state.images.line == "attaching c.png…")
  }

  // MARK: - Messages

  @Test("a refused message returns with its images")
  mutating func refused() throws {
    _ = try desk.connect()
    try attach()
    _ = type("look")
    let printed = try desk.refuse("id-2.1.prompt").printed
    #expect(printed.contains { $0.contains("not sent: 'look [1 image]'") }, "\(printed)")
    #expect(desk.screen.composer.text == "look" && desk.shows("1 image: plan.png"))
    #expect(Self.prompts(in: desk.press(.enter)).map(\.images) == [[Self.image.content]])
  }

  @Test(
    "only a message that was not sent gives its images back",
    arguments: [
      (.notSent, 1), (.refused(.busy), 1), (.unknown(.lost), 0), (.delivered(.started), 0),
      (.delivered(.queued), 0), (.delivered(.accepted), 0),
    ] as [(PromptDelivery.Verdict, Int)]
  )
  func givesBack(verdict: PromptDelivery.Verdict, count: Int) throws {
    var images = MessageImages()
    try images.attach(Self.image)
    images.leave(with: "m")
    #expect(images.line == nil && images.unsentCount == 1)
    #expect(images.settle("other", verdict) == 0 && images.settle("m", verdict) == 1)
    #expect(images.unsentCount == count && (images.line != nil) == (count > 0))
  }

  @Test("a queued message carries its images, and shows their number when its turn starts")
  mutating func queued() throws {
    _ = try desk.connect("busy")
    try desk.begin()
    try attach()
    let effects = type("later")
    #expect(effects.sent == ["follow_up later"])
    #expect(Self.prompts(in: effects).map(\.images.count) == [1])
    _ = try desk.receive([
      "type": "turn_ack", "command": "follow_up", "clientTurnId": "id-2", "sessionId": "S",
      "stage": "dispatched",
    ])
    let told = try desk.receive([
      "type": "queue_item_started", "kind": "follow_up", "queueVersion": 2, "sessionId": "S",
      "item": ["id": "id-2", "message": "later"] as JSONValue,
    ])
    #expect(told.printed.suffix(2) == ["▌ later", "▌ 1 image"])
  }

  @Test("the reason of a denial carries no image")
  mutating func reason() throws {
    _ = try desk.connect("busy")
    try attach()
    try desk.ask()
    _ = desk.press(.text("r"), after: .seconds(2))
    _ = desk.press(.text("no"), after: .seconds(1))
    #expect(!desk.shows("1 image"))
    #expect(desk.press(.enter, after: .seconds(1)).decisions == [.deny])
    let result = ChatResult(kind: .answer(id: "p1"), text: "denied")
    let sent = Self.prompts(in: desk.update(.news(.performed(result))))
    #expect(sent.map(\.text) == ["no"] && sent.map(\.images) == [[]])
    #expect(desk.shows("1 image: plan.png"))
  }

  @Test("an image of another client's message is counted and not printed")
  mutating func ofOthers() throws {
    _ = try desk.connect()
    let printed = try desk.hear("from the phone\ndata:image/png;base64,AAAA").printed
    #expect(printed == ["▌ from the phone", "▌ 1 image"])
  }

  // MARK: - Pastes

  @Test("a pasted path attaches the image, and is text if there is none")
  mutating func pasted() throws {
    _ = try desk.connect()
    let paste = "'/home/u/my plan.png' "
    _ = desk.press(.text("what is this? "))
    let file = try #require(Self.file(in: desk.press(.paste(paste))))
    #expect(file.path == "/home/u/my plan.png" && desk.screen.composer.text == "what is this? ")
    var other = desk
    _ = desk.update(.news(.attached(.success(Self.image), id: file.id)))
    #expect(Self.prompts(in: desk.press(.enter)).map(\.images.count) == [1])
    let error = OppiError(.noInput, "no such file: /home/u/my plan.png")
    _ = other.update(.news(.attached(.failure(error), id: file.id)))
    #expect(other.screen.composer.text == "what is this? \(paste)")
    #expect(other.shows("cannot attach my plan.png: no such file"))
  }

  @Test("a pasted path is text in a command, and while another image is being attached")
  mutating func pastedAsText() throws {
    _ = try desk.connect()
    #expect(desk.press(.text("/image "), .paste("/home/u/a.png")).isEmpty)
    #expect(Self.file(in: desk.press(.enter))?.path == "/home/u/a.png")
    #expect(desk.press(.paste("/home/u/b.png")).isEmpty)
    #expect(desk.screen.composer.text == "/home/u/b.png")
  }

  @Test("in line mode, the images are named when they are attached and when a message returns")
  func byLine() throws {
    var lines = ChatLinesDesk()
    let file = try #require(Self.file(in: lines.type("/image plan.png")))
    let told = lines.update(.news(.attached(.success(Self.image), id: file.id)))
    #expect("\(told)".contains("1 image: plan.png"), "\(told)")
    let next = try #require(Self.file(in: lines.type("/image b.png")))
    let refused = lines.type("look")
    #expect("\(refused)".contains("with 1 image: plan.png · attaching b.png"), "\(refused)")
    _ = lines.update(.news(.attached(.success(Self.image), id: next.id)))
    _ = lines.type("look")
    #expect(lines.lines.state.mail.outgoing.map(\.imageCount) == [2])
  }

  // MARK: - Servers

  /// The start of a PNG file.
  private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2]

  private static func withPicture(
    _ dialect: Dialect,
    _ change: (inout FakeServer.Configuration) -> Void = { _ in },
    _ body: @escaping @Sendable (World, VirtualServer, String) async throws -> Void
  ) {
    inWorld(dialect, change) { world, server in
      let folder = try TemporaryFolder(named: "oppi-test", environment: [:])
      defer { folder.remove() }
      let path = "\(folder.path)/my plan.png"
      try FileStore(loop: world.loop).replace(path, with: png)
      try await body(world, server, path)
    }
  }

  @Test("a server gets an image before the message or in it", arguments: Dialect.all)
  func servers(dialect: Dialect) {
    Self.withPicture(dialect) { world, server, path in
      let talk = try await ChatTerminal(in: world)
      try await talk.say("/image \(path)", see: "1 image: my plan.png")
      let uploads = server.requests.count { $0.method == "PUT" && $0.status == 200 }
      #expect(uploads == (dialect.stream.uploadsImages ? 1 : 0))
      try await talk.say("hello", see: "▌ 1 image")
      try await talk.see("▌ hello", count: 1)
      try await talk.leave()
      let sent = server.messages.filter { $0.type == "prompt" }.map(\.json)
      let member = dialect.stream.uploadsImages ? "attachments" : "images"
      #expect(sent.map { $0[member].array?.count } == [1], "\(sent)")
      #expect(server.heard.count == 1, "\(server.heard)")
    }
  }

  @Test(
    "a pasted image is queued with its message behind the running turn",
    arguments: [Dialect.multiplexed, .deviceKeys]
  )
  func behindTurn(dialect: Dialect) {
    Self.withPicture(dialect) { world, server, path in
      let talk = try await ChatTerminal(in: world)
      try await talk.say("slow 1", see: "Starting slow work.")
      try await talk.type("\u{1B}[200~'\(path)'\u{1B}[201~", see: "1 image: my plan.png")
      talk.say("hello 2")
      try await talk.see("▌ 1 image")
      try await talk.leave()
      let sent = try #require(server.messages.last { $0.json["message"] == "hello 2" }?.json)
      let member = dialect.stream.uploadsImages ? "attachments" : "images"
      #expect(sent[member].array?.count == 1, "\(sent)")
      #expect(server.heard.count == 2, "\(server.heard)")
    }
  }

  @Test("an image that the server refuses is not attached")
  func refusedByServer() {
    Self.withPicture(.deviceKeys) {
      $0.limits.uploadBytes = 9
    } _: { world, server, path in
      let talk = try await ChatTerminal(in: world)
      let words = "cannot attach my plan.png: image 1 is too large for studio: 10 bytes"
      try await talk.say("/image \(path)", see: words)
      try await talk.say("hello", see: "The command printed: hi")
      try await talk.leave()
      #expect(server.heard == ["hello"])
    }
  }
}
