// SPDX-License-Identifier: MIT

import FakeServer
import HTTPCodec
import HostTestSupport
import OppiText
import Testing

@testable import OppiHost

@Suite("Uploads")
struct UploadTests {
  private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2]

  private static func announcement(_ changes: JSONObject = [:]) -> JSONValue {
    JSONValue.object([
      "name": "notes.txt", "mimeType": "text/plain", "sizeBytes": 5, "purpose": "chat_attachment",
    ]).adding(changes)
  }

  /// Announces and sends a file, and returns its reference.
  private static func upload(
    _ text: String,
    to id: String,
    _ client: TestClient
  ) async throws -> JSONValue {
    let body = announcement(["sizeBytes": .integer(Int64(text.utf8.count))])
    let path = client.sessionPath(id, "/attachments")
    let upload = try await client.call("POST", path, body: body, expecting: 201)
    let target = try #require(upload["contentUrl"].string)
    return try await client.call("PUT", target, text: text)["attachment"]
  }

  private static func prompt(
    with files: [JSONValue],
    on stream: TestStream
  ) async throws -> [String?] {
    try await stream.submit("empty", ["attachments": .array(files)]).errors
  }

  @Test(
    "a reference that does not fit refuses the prompt",
    arguments: [
      (["name": "other"], "Upload name mismatch"),
      (["mimeType": "text/html"], "Upload MIME type mismatch"),
      (["sizeBytes": 4], "Upload size mismatch"), (["sha256": "00"], "Upload hash mismatch"),
      (["id": "upl_other"], "Upload not found"),
    ] as [(JSONObject, String)]
  )
  func mismatch(change: JSONObject, error: String) throws {
    try TestClient.runSession(.sockets()) { client, stream in
      let reference = try await Self.upload("hello", to: stream.id, client).adding(change)
      #expect(try await Self.prompt(with: [reference], on: stream) == [error])
    }
  }

  @Test("a file of another session or too many bytes in a turn are refused")
  func limits() throws {
    try TestClient.runSession(.sockets { $0.limits.turnUploadBytes = 9 }) { client, stream in
      let foreign = try await Self.upload("hello", to: client.createSession(), client)
      let own = try await Self.upload("hello", to: stream.id, client)
      #expect(try await Self.prompt(with: [foreign], on: stream) == ["Upload not found"])
      #expect(
        try await Self.prompt(with: [own, own], on: stream)
          == ["Attachment payload exceeds max turn size"]
      )
    }
  }

  @Test(
    "an invalid announcement is refused",
    arguments: [
      (["purpose": "other"], 0, 400, "purpose must be chat_attachment"),
      (["sizeBytes": 0], 0, 400, "sizeBytes must be a positive integer"),
      (["sizeBytes": 65], 0, 413, "Upload exceeds max file size"),
      (["mimeType": "text/html"], 0, 415, "Declared MIME type not allowed: text/html"),
      ([:], 1, 400, "Session does not belong to this workspace"),
    ] as [(JSONObject, Int, Int, String)]
  )
  func announcements(change: JSONObject, workspace: Int, status: Int, error: String) throws {
    let configuration = FakeServer.Configuration.sockets {
      $0.limits.uploadBytes = 64
      $0.uploadTypes = ["text/plain"]
    }
    try TestClient.run(configuration) { client in
      let answer = try await client.call(
        "POST",
        "\(client.sessionsPath(workspace))/\(client.createSession())/attachments",
        body: Self.announcement(change),
        expecting: status
      )
      #expect(answer["error"].string == error)
    }
  }

  @Test(
    "the first bytes decide on a type, which must be the declared one",
    arguments: [
      ("image/png", nil), ("application/octet-stream", nil),
      ("text/plain", "Upload MIME type mismatch: declared text/plain, detected image/png"),
    ] as [(String, String?)]
  )
  func types(declared: String, error: String?) throws {
    try TestClient.run(.sockets()) { client in
      let id = try await client.createSession()
      let body = Self.announcement([
        "mimeType": .string(declared), "sizeBytes": 10, "name": "a/b/plan.png",
      ])
      let path = client.sessionPath(id, "/attachments")
      let upload = try await client.call("POST", path, body: body, expecting: 201)
      let target = try #require(upload["contentUrl"].string)
      let response = try await client.exchange("PUT", target, bytes: Self.png)
      #expect(response.status == (error == nil ? 200 : 415))
      let answer = try JSONValue(parsing: response.body)
      #expect(answer["error"].string == error)
      if error == nil {
        #expect(answer["attachment"]["mimeType"] == "image/png")
        #expect(answer["attachment"]["name"] == "plan.png")
      }
    }
  }
}
