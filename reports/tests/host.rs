//! Host memory that ran out and processes that were killed, in the shape of public lines and with figures of our own.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;

use common::{assert_told, only, told};
use memory_wall_reports::explain::{Cause, Explanation, Stated, explain};
use memory_wall_reports::{Kind, read};

fn explained(text: &str) -> Explanation {
    explain(&read(text.as_bytes()), &[], &Stated { model: None, gpu: None, mode: None, adjust: &|_| (), sizes: false })
}

fn is_host(text: &str) -> bool {
    matches!(explained(text).causes[..], [Cause::Host { .. }])
}

#[test]
fn whoever_says_it_it_is_the_memory_of_the_computer() {
    for text in [
        // nextflow-io/nextflow#5932, ArjunaCluster/ArjunaUsers#52 and snakemake/snakemake-executor-plugin-slurm#371.
        "slurmstepd: error: Detected 1 oom_kill event in StepId=4711.0. Some of the step tasks have been OOM Killed.",
        "slurmstepd: error: Detected 2 oom-kill event(s) in StepId=4711.batch cgroup. Some of your processes may have been killed",
        "slurmstepd: error: Detected 2 oom_kill events in StepId=4711.13. Some of the step tasks have been OOM Killed.",
        // 0jc1/py-autovod#7.
        "[Sun Mar 30 08:24:00 2025] oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,global_oom,task=python,pid=7,uid=0",
        "[ 71.5] Memory cgroup out of memory: Kill process 4245 (python3) score 0 or sacrifice child",
        // `kubectl describe pod`, `kubectl get pods` and `docker inspect`.
        "    Last State:     Terminated\n      Reason:       OOMKilled\n      Exit Code:    137\n",
        "vllm-0   0/1     OOMKilled   2 (31s ago)   5m12s",
        "    \"OOMKilled\": true,\n    \"ExitCode\": 137,",
        // hiyouga/EasyR1#185.
        "(raylet) node_manager.cc:3069: 1 Workers (tasks / actors) killed due to memory pressure (OOM), 0 Workers crashed",
        "ray.exceptions.OutOfMemoryError: Task was killed due to the node running low on memory.",
        "OSError: [Errno 12] Cannot allocate memory",
        "terminate called after throwing an instance of 'std::bad_alloc'",
        "OSError: The paging file is too small for this operation to complete. (os error 1455)",
    ] {
        assert!(is_host(text), "{text}: {:?}", explained(text).causes);
    }
    assert!(read(b"    \"OOMKilled\": false,\n    \"ExitCode\": 0,").reports.is_empty());
}

/// vllm-project/vllm#2669, and ray-project/ray from 2.50: without the task.
#[test]
fn ray_says_how_full_the_node_was() {
    for text in [
        "Memory on the node (IP: 10.0.0.2, ID: 708c) where the task (actor ID: 0dab, name=RayWorkerVllm.__init__, pid=308, memory used=11.25GB) was running was 12.50GB / 13.25GB (0.950003), which exceeds the memory usage threshold of 0.95.",
        "Memory on the node (IP: 10.0.0.2, ID: 708c) was 12.50GB / 13.25GB (0.950003), which exceeds the memory usage threshold of 0.950000",
    ] {
        assert_told(
            Kind::HostMemory,
            text,
            &["1: host_used 13421772800~10737418", "1: host_capacity 14227079168~10737418"],
        );
    }
}

/// triton-inference-server/server#4154: the kernel's account of a group of processes.
#[test]
fn a_group_of_processes_says_its_limit() {
    let text = "[44517.301476] memory: usage 131072kB, limit 131072kB, failcnt 15691\n[44517.301477] memory+swap: usage 0kB, limit 9007199254740988kB, failcnt 0\n";
    assert_told(Kind::HostMemory, text, &["1: host_used 134217728~1024", "1: host_limit 134217728~1024"]);
}

#[test]
fn what_was_asked_for_is_told() {
    for (text, bytes) in [
        (
            "numpy.core._exceptions._ArrayMemoryError: Unable to allocate 1.50 GiB for an array with shape (201326592,) and data type float64",
            "1610612736~10737418",
        ),
        (
            "RuntimeError: unable to mmap 4060522368 bytes from file <model.safetensors>: Cannot allocate memory (12)",
            "4060522368",
        ),
    ] {
        assert_told(Kind::HostMemory, text, &[&format!("1: requested {bytes}")]);
        assert!(is_host(text), "{text}");
    }
}

/// docker/for-linux#1001, with groups of digits as 0jc1/py-autovod#7 has them: one of them can't be read, which is said.
#[test]
fn a_kill_with_a_garbled_number_is_still_one() {
    let text = "Out of memory: Killed process 7899 (python) total-vm:26,184,840kB, anon-rss:153,700,88kB, file-rss:0kB";
    let found = read(text.as_bytes());
    assert_eq!(found.reports.iter().map(told).collect::<Vec<_>>(), [Vec::<String>::new()]);
    assert_eq!(found.odd.len(), 1);
    assert!(is_host(text));
}

/// liunian-Jay/MU-GOT#17: the shell says no more than "Killed".
#[test]
fn a_process_that_was_killed_is_told_from_one_that_ran_out() {
    let log = "INFO 11-20 10:45:57 model_runner.py:692] Loading model weights took 1.9900 GB\n\
        INFO 11-20 10:45:57 gpu_executor.py:102] # GPU blocks: 12400, # CPU blocks: 2700\nKilled\n";
    assert!(matches!(explained(log).causes[..], [Cause::Killed]));
    for text in [
        "vllm-1 exited with code 137",
        "  exitcode  : -9 (pid: 1403)",
        "  traceback : Signal 9 (SIGKILL) received by PID 1403",
        "Error: llama runner process has terminated: signal: killed",
        "slurm_script: line 28:  8156 Killed                  python3 main.py --epochs 400",
    ] {
        assert_eq!(told(&only(Kind::Killed, text)), Vec::<String>::new(), "{text}");
        assert!(matches!(explained(text).causes[..], [Cause::Killed]), "{text}");
    }
    for prose in ["Killed it with fire", "some of the tasks have been OOM Killed.", "exited with code 1"] {
        assert!(read(prose.as_bytes()).reports.iter().all(|report| report.kind != Kind::Killed), "{prose}");
    }
    // What a process says itself is nearer to the cause than that it was killed.
    let both = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.50 GiB of which 1.00 GiB is free.\n  exitcode  : -9 (pid: 7)\n";
    assert!(!explained(both).causes.contains(&Cause::Killed));
}
