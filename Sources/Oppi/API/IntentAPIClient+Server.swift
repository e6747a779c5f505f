// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport
import Synchronization

extension IntentAPIClient {
  /// `GET /server/info`; `nil` on servers without the route.
  ///
  /// Throws `.otherServer` if the server reports another identity than it was paired with. Over plain
  /// `http`, nothing else distinguishes two servers at one address.
  func info(
    over connection: HTTPConnection? = nil,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> ServerInfo? {
    let info: ServerInfo
    do {
      info = ServerInfo(
        json: try await call("GET", "/server/info", over: connection, until: deadline)
      )
    } catch  where error.isNotFound {
      return nil
    }
    guard let identity else { return info }
    let isOther = info.fingerprint.map { $0 != identity.id } ?? identity.isDoubted
    if isOther != identity.isDoubted { await identity.doubt(isOther) }
    guard !isOther else { throw .otherServer(server: serverName) }
    return info
  }

  /// The server's uptime in whole seconds; `nil` if it does not report it.
  func uptime(until deadline: EventLoop.Instant) async throws(OppiError) -> Duration? {
    try await info(until: deadline)?.uptime
  }
}

/// Who a paired server must be.
struct ExpectedIdentity: Sendable {
  let id: Fingerprint
  /// Whether another server answered the last time: then it is asked before anything is sent.
  let isDoubted: Bool
  /// Records the doubt for later commands.
  let doubt: @Sendable (Bool) async -> Void
}

extension IntentAPIClient {
  /// `GET /auth/devices`: the devices that are or were paired; `nil` on servers that know no devices.
  func listDevices(
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> [PairedDevice]? {
    do {
      return try await list("devices", at: "/auth/devices", until: deadline) {
        PairedDevice(json: $0)
      }
    } catch  where error.isMissingRoute {
      return nil
    }
  }

  /// `DELETE /auth/devices/:id`: ends a device's access for good.
  ///
  /// - Returns: False if the server does not know the device, or had revoked it before.
  func revokeDevice(
    _ id: String,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> Bool {
    do throws(OppiError) {
      try checkConfirmation(try await call("DELETE", "/auth/devices/\(id)", until: deadline))
      return true
    } catch  where error.reason == .refused(404, "Unknown or already-revoked device") {
      return false
    }
  }
}

extension IntentAPIClient {
  /// Performs jobs in their order, at most `limit` at a time, over kept connections.
  ///
  /// The first worker uses `connection`; each further worker opens its own. Results come in no
  /// particular order; a `nil` result is dropped.
  func perform<Job: Sendable, Value: Sendable>(
    _ jobs: [Job],
    atMost limit: Int,
    over connection: HTTPConnection,
    _ work: @escaping @Sendable (Job, HTTPConnection) async -> Value?
  ) async -> [Value] {
    let queue = JobQueue(jobs)
    return await withTaskGroup(of: [Value].self) { group in
      for _ in 1..<max(1, min(limit, jobs.count)) {
        group.addTask { await queue.work(over: self.connection(), work) }
      }
      var values = await queue.work(over: connection, work)
      for await more in group { values += more }
      return values
    }
  }
}

private final class JobQueue<Job: Sendable>: Sendable {
  private let jobs: Mutex<[Job]>

  init(_ jobs: [Job]) { self.jobs = Mutex(jobs.reversed()) }

  func work<Value>(
    over connection: HTTPConnection,
    _ work: (Job, HTTPConnection) async -> Value?
  ) async -> [Value] {
    var values: [Value] = []
    while let job = jobs.withLock({ $0.popLast() }) {
      if let value = await work(job, connection) { values.append(value) }
    }
    return values
  }
}

extension IntentAPIClient {
  /// The schedules that a server runs itself, and its clock.
  struct ServerSchedules: Sendable {
    var schedules: [ServerSchedule]
    var clockOffset: Duration
  }

  /// `GET /schedules`, archived ones included; `nil` on servers without schedules.
  func listSchedules(
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> ServerSchedules? {
    do {
      let answer = try await datedList("schedules", at: "/schedules", until: deadline) {
        ServerSchedule(json: $0)
      }
      return ServerSchedules(
        schedules: answer.value,
        clockOffset: answer.clockOffset ?? .zero
      )
    } catch  where error.isMissingRoute {
      return nil
    }
  }

  /// `POST /schedules/:id/run`: starts a run, or returns the one that an earlier request with the
  /// same id started.
  func runSchedule(
    _ id: String,
    requestID: String,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> ServerScheduleRun {
    let body: JSONValue = ["requestId": .string(requestID)]
    let json = try await call("POST", "/schedules/\(id)/run", body: body, until: deadline)
    guard let run = ServerScheduleRun(json: json["run"]) else { throw malformed("run") }
    return run
  }
}

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
  ) async throws(OppiError) -> JSONValue {
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
    } catch {
      guard case .refused(404, let message?)? = error.reason,
        ServerRefusal(words: message) == .sessionNotFound
      else { throw error }
      throw .unknownSession(name: session.id)
    }
    // The path is from the server, and becomes a part of a request.
    guard let path = upload["contentUrl"].text(.name), path.hasPrefix("/"),
      !path.hasPrefix("//"), path.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw malformed("upload") }
    let answer = try await put(image.data, to: path, over: connection, until: deadline)
    guard answer["attachment"].object != nil else {
      throw malformed("attachment")
    }
    return answer["attachment"]
  }
}
