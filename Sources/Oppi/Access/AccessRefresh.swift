// SPDX-License-Identifier: MIT

import EventLoop
import HTTPCodec
import OppiModel
import OppiSystem
import OppiTransport

/// Requests an access token for a device: signs a challenge of the server.
struct AccessRefresh {
  let credential: DeviceCredential
  let server: Fingerprint
  let store: AccessTokenStore
  let line: ServerLine

  /// Requests a token with a stored challenge or, if there is none or the server has forgotten it,
  /// with a new one.
  ///
  /// A challenge is sent once: after a lost answer, the next refresh requests a new one.
  func perform(
    using stored: AccessToken.Challenge?
  ) async throws(OppiError) -> AccessToken {
    if let stored, await take() {
      do {
        return try await token(signing: stored)
      } catch  where error.isStaleChallenge {
        // A restarted server has no challenges.
      }
    }
    do {
      return try await token(signing: try await challenge())
    } catch  where error.isStaleChallenge && stored == nil {
      return try await token(signing: try await challenge())
    }
  }

  private func challenge() async throws(OppiError) -> AccessToken.Challenge {
    let now = line.loop.timestamp()
    let open = store.openChallenges(of: server, at: now)
    let isNoted = await note { store throws(FileError) in
      try await store.noteChallenge(of: server, at: now)
    }
    let body = JSONValue.object(["deviceId": credential.deviceID.map(JSONValue.string)])
    let answer = try await line.post("/auth/challenge", body)
    guard answer.isSuccess else {
      await note { store throws(FileError) in try await store.dropChallenge(of: server) }
      let refusal = AccessRefusal(
        challenge: answer.status,
        answer.error,
        // On a full disk, the record lacks the challenges that came with earlier tokens.
        openChallenges: isNoted ? open : nil
      )
      throw answer.failure(refusal)
    }
    guard let challenge = AccessToken.Challenge(answer: answer.json) else {
      throw .malformedAnswer(server: line.serverName, what: "challenge")
    }
    return challenge
  }

  private func token(
    signing challenge: AccessToken.Challenge
  ) async throws(OppiError) -> AccessToken {
    let deviceID = credential.deviceID ?? ""
    let signature = try await signature(of: challenge.message)
    let body: JSONValue = [
      "deviceId": .string(deviceID), "nonce": .string(challenge.nonce),
      "signature": .string(Base64.encodeURL(signature.concatenated)),
    ]
    let answer = try await line.post("/auth/refresh", body)
    guard answer.isSuccess else {
      let refusal = AccessRefusal(refresh: answer.status, answer.error)
      if refusal == .staleChallenge {
        await note { store throws(FileError) in try await store.dropChallenge(of: server) }
      }
      throw answer.failure(refusal)
    }
    guard let grant = AccessGrant(json: answer.json) else {
      throw .malformedAnswer(server: line.serverName, what: "access token")
    }
    return grant.token(
      of: deviceID,
      receivedAt: line.loop.timestamp(),
      serverTime: answer.serverTime
    )
  }

  private func signature(of message: [UInt8]) async throws(OppiError) -> ECDSASignature {
    let key: [UInt8]
    switch credential.signer {
    case .key(let stored): key = stored
    case .program(let command):
      do {
        return try await KeyProgram(command, on: line.loop).sign(message, until: line.deadline)
      } catch {
        throw .keyProgram(error, server: line.serverName)
      }
    }
    do throws(CryptoError) {
      return try CryptoKey.p256(privateDER: key, using: LibCrypto()).signP256(message)
    } catch .unavailable {
      throw .crypto(.unavailable)
    } catch {
      throw .invalidToken(of: line.serverName, in: "the stored key")
    }
  }

  /// Takes the stored challenge out of the file; false if that failed, so that another process may
  /// use it.
  private func take() async -> Bool {
    do {
      try await store.takeChallenge(of: server, at: line.loop.timestamp())
      return true
    } catch {
      return false
    }
  }

  /// Records a challenge, which makes an error more precise; returns false if that failed.
  @discardableResult
  private func note(
    _ body: (AccessTokenStore) async throws(FileError) -> Void
  ) async -> Bool {
    do throws(FileError) {
      try await body(store)
      return true
    } catch {
      return false
    }
  }
}

extension OppiError {
  fileprivate var isStaleChallenge: Bool { reason == .accessRefused(.staleChallenge) }
}

// MARK: - The routes of tokens, which need no authorization

extension ServerLine {
  /// The time until the deadline, of which nothing may be left.
  var timeLeft: Duration { max(loop.now.duration(to: deadline), .zero) }

  struct Answer {
    fileprivate let server: String
    var status: Int
    var json: JSONValue
    /// The server's clock, if it reports it.
    var serverTime: Timestamp?
    /// The server's words, without secrets.
    fileprivate var message: String?

    var isSuccess: Bool { (200..<300).contains(status) }
    /// The word for the refusal, for comparison only.
    var error: String? { json["error"].string }

    func failure(_ refusal: AccessRefusal?) -> OppiError {
      refusal.map { .accessRefused($0, server: server) }
        ?? .refused(status: status, message: message, server: server)
    }
  }

  func post(
    _ path: String,
    _ body: JSONValue,
    headers: HTTPHeaders = HTTPHeaders()
  ) async throws(OppiError) -> Answer {
    var request = HTTPRequest(method: "POST", target: path, headers: headers)
    request.headers.append(name: "Accept", value: "application/json")
    request.headers.append(name: "Content-Type", value: "application/json")
    request.body = body.bytes(escapingNonASCII: true)
    // What the request proves itself with.
    for secret in Self.secrets(in: body, headers) { connection.secrets.learn(secret) }
    let response: HTTPResponse
    do {
      response = try await connection.exchange(
        request,
        bodyLimit: Self.bodyLimit,
        issuingSecrets: true,
        until: deadline
      ).response
    } catch {
      throw .transport(error, server: serverName)
    }
    let json = (try? JSONValue(parsing: response.body)) ?? .null
    return Answer(
      server: serverName,
      status: response.status,
      json: json,
      // The date is rounded down; a lifetime must not be longer than the server's.
      serverTime: response.headers["Date"].flatMap { Timestamp(httpDate: $0) }?
        .moved(by: .seconds(1)),
      message: json["error"].string.map { connection.secrets.redacted($0).safeLine() }
    )
  }

  private static func secrets(in body: JSONValue, _ headers: HTTPHeaders) -> [String] {
    let key = body["devicePublicKey"]
    let members = [
      body["pairingToken"], body["nonce"], body["signature"], key["x"], key["y"],
    ]
    let tokens = headers["Authorization"].map { $0.split(separator: " ").dropFirst() } ?? []
    return (members.compactMap(\.string) + tokens.map(String.init)).filter { !$0.isEmpty }
  }

  /// In bytes; longer than any token.
  private static let bodyLimit = 65_536
}
