"""How an encoder learns.

methods      what each of the paper's four methods minimises and answers with (Eq. 3, 5 and 6)
config       hyperparameters
sampling     the batches
retention    terms against forgetting
loop         the training loop
zero_gpu     the loop in pieces on a lent GPU
contrastive  training of decoders by Eq. 6 of BeLLM, on triplets
"""
