// SPDX-License-Identifier: MIT

import FakeServer
import OppiSystem
import OppiText
import OppiWire
import Simulation
import Synchronization
import Testing

@testable import OppiTestSupport

/// `oppi ask --image` on servers that take images as uploads before the prompt.
@Suite struct UploadTests {
  /// The start of a PNG file.
  private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2]
  private static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0]

  /// The paths of a PNG and a JPEG file in a world whose server enrolled a device key.
  private struct Pictures: Sendable {
    let folder: TemporaryFolder
    var png: String { "\(folder.path)/a.png" }
    var jpeg: String { "\(folder.path)/b.jpg" }

    init(_ files: FileStore) throws {
      folder = try TemporaryFolder(named: "oppi-test", environment: [:])
      try files.replace(png, with: UploadTests.png)
      try files.replace(jpeg, with: UploadTests.jpeg)
    }
  }

  private func withPictures(
    _ change: (inout FakeServer.Configuration) -> Void = { _ in },
    _ body: @escaping @Sendable (World, VirtualServer, Pictures) async throws -> Void
  ) {
    inWorld(isPaired: false) {
      $0.acceptsPlainHTTP = true
      change(&$0)
    } _: { world, server in
      let pair = await world.oppi("pair", try #require(server.inviteText()))
      try #require(pair.status == 0, "\(pair)")
      let pictures = try Pictures(FileStore(loop: world.loop))
      defer { pictures.folder.remove() }
      try await body(world, server, pictures)
    }
  }

  private static func uploads(_ server: VirtualServer) -> [Int?] {
    server.requests.filter { $0.method == "PUT" }.map(\.status)
  }

  @Test("images of a new session are uploaded before its prompt", arguments: [false, true])
  func newSession(waits: Bool) {
    withPictures { world, server, pictures in
      let words = ["ask", "-w", "demo", "--image", pictures.png, "--image", pictures.jpeg]
      await world.oppi(words + (waits ? ["--wait"] : []) + ["look"], exits: 0)
      let run = try #require(server.runs.first)
      let folder = ".pi/attachments/\(run.sessionID)/\(run.clientTurnID ?? "")"
      let list = "- image-1.png: \(folder)/image-1.png\n- image-2.jpg: \(folder)/image-2.jpg"
      #expect(server.heard == ["look\n\nAttached files:\n\(list)"])
      #expect(Self.uploads(server) == [200, 200] && server.sessionsMade == 1)
      let prompt = try #require(server.messages.first { $0.type == "prompt" })
      #expect(prompt.json["images"] == .null && prompt.json["attachments"].array?.count == 2)
    }
  }

  @Test("images of a continued session are uploaded to it")
  func continued() {
    withPictures { world, server, pictures in
      let session = try await world.session(asking: "empty")
      let outcome = await world.oppi("ask", "-s", session, "--image", pictures.png, "empty")
      #expect(outcome.status == 0 && outcome.lines == [session], "\(outcome)")
      #expect(server.heard.last?.hasPrefix("empty\n\nAttached files:\n- image-1.png") == true)
      #expect(Self.uploads(server) == [200] && server.sessionsMade == 1)
    }
  }

  @Test("a server with session sockets and a token takes uploads too")
  func sessionSockets() {
    inWorld { world, server in
      let pictures = try Pictures(FileStore(loop: world.loop))
      defer { pictures.folder.remove() }
      let outcome = await world.oppi("ask", "-w", "demo", "--image", pictures.png, "look")
      #expect(outcome.status == 0 && Self.uploads(server) == [200], "\(outcome)")
    }
  }

  @Test(
    "an image over a limit of the server fails before anything is created",
    arguments: [
      (10, 14, nil), (9, 14, "image 1 is too large for studio: 10 bytes, the limit is 9"),
      (10, 13, "the images are too large for studio: 14 bytes together, the limit is 13"),
    ]
  )
  func tooLarge(file: Int, turn: Int, message: String?) {
    withPictures {
      $0.limits.uploadBytes = file
      $0.limits.turnUploadBytes = turn
    } _: { world, server, pictures in
      let outcome = await world.oppi(
        ["ask", "-w", "demo", "--json", "--image", pictures.png, "--image", pictures.jpeg, "look"]
      )
      #expect(outcome.status == (message == nil ? 0 : 65), "\(outcome)")
      #expect(outcome.error["message"].string == message, "\(outcome)")
      let made = message == nil ? 1 : 0
      #expect(server.sessionsMade == made && Self.uploads(server).count == made * 2)
      #expect(server.heard.count == made)
    }
  }

  @Test("a prompt whose limits another server reports is not sent to it")
  func otherServer() {
    let trouble = Trouble()
    withPictures {
      $0.interceptor = trouble.interceptor
    } _: { world, server, pictures in
      let session = try await world.session(asking: "empty")
      let other = "sha256:" + String(repeating: "A", count: 43)
      trouble.at("/server/info", .answer(json: ["identity": ["fingerprint": .string(other)]]))
      for place in [["-w", "demo"], ["-s", session]] {
        let words = ["ask", "--json"] + place + ["--image", pictures.png, "look"]
        await world.oppi(words, exits: 77) { $0.error["code"] == "identity-mismatch" }
      }
      #expect(server.heard == ["empty"] && Self.uploads(server).isEmpty)
    }
  }

  @Test("a refused type fails without the prompt and without a new session")
  func refusedType() {
    withPictures {
      $0.uploadTypes = ["image/png"]
    } _: { world, server, pictures in
      let words = ["--json", "--image", pictures.png, "--image", pictures.jpeg, "empty"]
      let outcome = await world.oppi(["ask", "-w", "demo"] + words, exits: 65)
      let reason = "studio refused image 2: Declared MIME type not allowed: image/jpeg"
      #expect(outcome.error["message"].string == reason, "\(outcome)")
      #expect(outcome.error["sessionId"] == .null, "\(outcome)")
      #expect(server.sessionsMade == 1 && server.sessionsRemoved == 1 && server.heard.isEmpty)
      let session = try await world.session(asking: "empty")
      await world.oppi(["ask", "-s", session] + words, exits: 65)
      #expect(server.heard == ["empty"])
      #expect(server.sessionsRemoved == 1)
    }
  }

  @Test("an upload whose answer is lost is repeated once", arguments: [1, 2])
  func lostAnswer(losses: Int) {
    let trouble = Trouble()
    withPictures {
      $0.interceptor = trouble.interceptor
    } _: { world, server, pictures in
      let left = Atomic(losses)
      trouble.begin { step in
        guard step.isRequest("/content"),
          left.wrappingSubtract(1, ordering: .relaxed).oldValue > 0
        else { return .proceed }
        return .performThenDrop
      }
      let outcome = await world.oppi("ask", "-w", "demo", "--json", "--image", pictures.png, "look")
      if losses == 1 {
        #expect(outcome.status == 0 && server.heard.count == 1, "\(outcome)")
        return
      }
      #expect(outcome.status == 69 && server.heard.isEmpty, "\(outcome)")
      // The session is there for a retry, and the error names it.
      let session = try #require(outcome.error["sessionId"].string, "\(outcome)")
      let again = await world.oppi("ask", "-s", session, "--image", pictures.png, "look")
      #expect(again.status == 0 && server.heard.count == 1, "\(again)")
      #expect(server.sessionsMade == 1)
    }
  }

  @Test("a queued prompt is delivered once with its images, and never without them")
  func queued() {
    let trouble = Trouble()
    withPictures {
      $0.interceptor = trouble.interceptor
    } _: { world, server, pictures in
      trouble.at("/content", .answer(status: 503, error: "later"))
      let words = ["ask", "-w", "demo", "--queue", "--image", pictures.png, "look"]
      await world.oppi(words, exits: 0)
      #expect(server.heard.isEmpty)
      trouble.end()
      try await world.pass(.seconds(120))
      let flush = await world.oppi("outbox", "flush", exits: 0)
      #expect(server.heard.count == 1 && server.heard[0].contains("image-1.png"), "\(flush)")
      #expect(Set(server.runs.map(\.sessionID)).count == 1)
    }
  }
}
