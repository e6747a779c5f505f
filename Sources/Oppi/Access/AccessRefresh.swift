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
  func perform(using stored: AccessToken.Challenge?) async throws(OppiError) -> AccessToken {
    // A challenge that stays in the file may be used by another process.
    if let stored, await store.takeChallenge(of: server, at: line.loop.timestamp()) {
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
    let isNoted = await store.noteChallenge(of: server, at: now)
    let body = JSONValue.object(["deviceId": credential.deviceID.map(JSONValue.string)])
    let answer = try await line.post("/auth/challenge", body)
    guard answer.isSuccess else {
      await store.dropChallenge(of: server)
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
    let signature = try await signature(of: challenge.message)
    let body: JSONValue = [
      "deviceId": .string(credential.deviceID ?? ""), "nonce": .string(challenge.nonce),
      "signature": .string(Base64.encodeURL(signature.concatenated)),
    ]
    let answer = try await line.post("/auth/refresh", body)
    guard answer.isSuccess else {
      let refusal = AccessRefusal(refresh: answer.status, answer.error)
      if refusal == .staleChallenge { await store.dropChallenge(of: server) }
      throw answer.failure(refusal)
    }
    guard let token = answer.token(of: credential.deviceID) else {
      throw .malformedAnswer(server: line.serverName, what: "access token")
    }
    return token
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
}

enum DeviceKey {
  /// A new key that is not enrolled yet, and its public part.
  static func make() throws(CryptoError) -> (DeviceCredential, DevicePublicKey) {
    let key = try CryptoKey.generateP256(using: LibCrypto())
    guard let publicKey = key.p256 else { throw .failed }
    return (DeviceCredential(deviceID: nil, key: try key.privateDER()), publicKey)
  }

  /// The key of a program, which is not enrolled yet, and its public part.
  ///
  /// A signature of the program is checked first, because a failure after the pairing would waste
  /// the invite.
  static func of(
    _ command: [String],
    on loop: EventLoop,
    until deadline: EventLoop.Instant
  ) async throws(KeyProgram.Failure) -> (DeviceCredential, DevicePublicKey) {
    let program = KeyProgram(command, on: loop)
    let publicKey = try await program.publicKey(until: deadline)
    let sample = Array("oppi:test".utf8)
    let signature = try await program.sign(sample, until: deadline)
    let isOwn: Bool
    do throws(CryptoError) {
      isOwn = try CryptoKey.p256(publicKey, using: LibCrypto()).verifiesP256(signature, of: sample)
    } catch .unavailable {
      // Without OpenSSL, only the server can check it.
      isOwn = true
    } catch {
      throw .noPublicKey
    }
    guard isOwn else { throw .otherKey }
    return (DeviceCredential(deviceID: nil, signer: .program(command)), publicKey)
  }

  /// The public part of a stored key.
  static func publicKey(of device: DeviceCredential) throws(CryptoError) -> DevicePublicKey {
    guard case .key(let der) = device.signer,
      let publicKey = try CryptoKey.p256(privateDER: der, using: LibCrypto()).p256
    else { throw .failed }
    return publicKey
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
    let status: Int
    let json: JSONValue
    fileprivate let receivedAt: Timestamp
    /// The server's clock, if it reports it.
    fileprivate let serverTime: Timestamp?
    /// The server's words, without secrets.
    fileprivate let message: String?

    var isSuccess: Bool { (200..<300).contains(status) }
    /// The word for the refusal, for comparison only.
    var error: String? { json["error"].string }

    /// The issued access token; `nil` if there is none, or its device is not known.
    func token(of deviceID: String? = nil) -> AccessToken? {
      AccessToken(answer: json, of: deviceID, receivedAt: receivedAt, serverTime: serverTime)
    }

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
      receivedAt: loop.timestamp(),
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
