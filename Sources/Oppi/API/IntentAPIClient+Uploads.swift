// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport

extension IntentAPIClient {
  /// Uploads a file to a session, which does not start its agent.
  ///
  /// - Parameters:
  ///   - image: The file; the server recognises its type by its first bytes.
  ///   - name: The name of the file for the agent.
  ///   - session: A session that exists, with its workspace.
  ///   - connection: The connection for both requests.
  ///   - deadline: The end of both requests.
  /// - Returns: The attachment as the server describes it, for a prompt.
  /// - Throws: `.refused` with the server's reason, such as a file over its limit (413);
  ///   `.unknownSession` if there is no such session.
  func upload(
    _ image: ImageAttachment,
    named name: String,
    to session: ServerSession,
    over connection: HTTPConnection,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> JSONValue {
    guard let workspaceID = session.workspaceID else { throw .unknownSession(name: session.id) }
    let description: JSONValue = [
      "name": .string(name), "mimeType": .string(image.mediaType),
      "sizeBytes": .integer(Int64(image.data.count)), "purpose": "chat_attachment",
    ]
    let upload: JSONValue
    do {
      upload = try await call(
        "POST",
        "/workspaces/\(workspaceID)/sessions/\(session.id)/attachments",
        body: description,
        over: connection,
        until: deadline
      )
    } catch .refused(404, let message?, _)
      where ServerRefusal(words: message) == .sessionNotFound
    {
      throw .unknownSession(name: session.id)
    }
    // The path is from the server, and becomes a part of a request.
    guard let path = upload["contentUrl"].text(.name), path.hasPrefix("/"),
      !path.hasPrefix("//"), path.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw .malformedAnswer(server: serverName, what: "upload") }
    let answer = try await put(image.data, to: path, over: connection, until: deadline)
    guard answer["attachment"].object != nil else {
      throw .malformedAnswer(server: serverName, what: "attachment")
    }
    return answer["attachment"]
  }
}
